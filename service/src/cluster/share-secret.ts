import type { SettingStore } from './node-operations.ts'
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { randomSecret, StartError, type DataFolder } from '../foundation/data-folder.ts'

interface Deps {
  store: { settings: Pick<SettingStore, 'ensureSetting' | 'readSetting' | 'writeSetting'> }
  folder: DataFolder
  configured: string | null
  databaseUrl: string
}

const wrappedName = 'secret.wrapped'
/** The setting that verifies whether a secret belongs to this store, without revealing it. */
export const proofName = 'secret.proof'

/**
 * The secret that keys the suppression list must be equal on all nodes and must not be readable in the database. If
 * VITAE_SECRET_KEY is not set, the first node creates one and shares it, encrypted with the database's password; each
 * node keeps it in its own data folder. A node with another secret does not start, because it would let erased people
 * back in.
 */
export async function shareSecret(deps: Deps): Promise<string> {
  const { store, folder, configured, databaseUrl } = deps
  const own = configured ?? (folder.read('secret-key')?.trim() || null)
  // Without a password there is nothing to encrypt it with, so it is not shared.
  const canWrap = new URL(databaseUrl).password !== ''
  const { secret, wrapped } = canWrap ? await readOrShare(deps, own) : { secret: own ?? randomSecret(), wrapped: null }
  const known = await store.settings.readSetting({ name: proofName })
  if (known !== null && known !== proofOf(secret)) throw new StartError(differs('is not the one of this database'))
  // The file first: no secret could match the fingerprint of one that was never written.
  if (configured === null) folder.secret('secret-key', () => secret)
  const proof = await store.settings.ensureSetting({ name: proofName, value: proofOf(secret) })
  if (proof !== proofOf(secret)) throw new StartError(differs('is not the one of this database'))
  // The database's password may have changed: the next node needs it encrypted with the current one.
  if (canWrap) await rewrap(deps, secret, wrapped)
  return secret
}

interface Shared {
  secret: string
  /** The stored form that is known to contain this secret: decrypting it again would cost a slow hash. */
  wrapped: string | null
}

async function readOrShare({ store, databaseUrl }: Deps, own: string | null): Promise<Shared> {
  if (own !== null) return { secret: own, wrapped: null }
  const there = await store.settings.readSetting({ name: wrappedName })
  if (there !== null) return open(there, databaseUrl)
  const made = randomSecret()
  const value = wrap(made, databaseUrl)
  const kept = await store.settings.ensureSetting({ name: wrappedName, value })
  return kept === value ? { secret: made, wrapped: value } : open(kept, databaseUrl)
}

function open(wrapped: string, databaseUrl: string): Shared {
  const secret = unwrap(wrapped, databaseUrl)
  if (secret === null) throw new StartError(differs('cannot be opened with this DATABASE_URL'))
  return { secret, wrapped }
}

async function rewrap({ store, databaseUrl }: Deps, secret: string, known: string | null): Promise<void> {
  const wrapped = await store.settings.readSetting({ name: wrappedName })
  if (wrapped !== null && (wrapped === known || unwrap(wrapped, databaseUrl) === secret)) return
  await store.settings.writeSetting({ name: wrappedName, value: wrap(secret, databaseUrl) })
}

function differs(why: string): string {
  return `VITAE_SECRET_KEY ${why}: set it to the secret that the other nodes use (the file secret-key in their data folder)`
}

/** The fingerprint of its secret that a store keeps. */
export function proofOf(secret: string): string {
  return createHash('sha256').update(`vitae secret proof ${secret}`).digest('hex')
}

function wrappingKey(databaseUrl: string, salt: Buffer): Buffer {
  return scryptSync(new URL(databaseUrl).password, salt, 32)
}

/** Stores a secret for the nodes that will open this database; false if it has no password to encrypt it with. */
export async function leaveSecret(
  store: { settings: Pick<SettingStore, 'writeSetting'> },
  secret: string,
  databaseUrl: string,
): Promise<boolean> {
  if (new URL(databaseUrl).password === '') return false
  await store.settings.writeSetting({ name: wrappedName, value: wrap(secret, databaseUrl) })
  return true
}

/** The secret stored in this database; null if absent, or not for this password. */
export async function findSecret(
  store: { settings: Pick<SettingStore, 'readSetting'> },
  databaseUrl: string,
): Promise<string | null> {
  const wrapped = await store.settings.readSetting({ name: wrappedName })
  return wrapped === null ? null : unwrap(wrapped, databaseUrl)
}

function wrap(secret: string, databaseUrl: string): string {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(databaseUrl, salt), nonce)
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return [salt, nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url')).join('.')
}

function unwrap(wrapped: string, databaseUrl: string): string | null {
  const [salt, nonce, tag, sealed] = wrapped.split('.').map((part) => Buffer.from(part, 'base64url'))
  if (!salt || !nonce || !tag || !sealed) return null
  try {
    const decipher = createDecipheriv('aes-256-gcm', wrappingKey(databaseUrl, salt), nonce)
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
