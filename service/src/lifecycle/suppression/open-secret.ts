import type { DatabaseStore } from '../../database/database-operations.ts'
import type { SettingStore } from '../../cluster/node-operations.ts'
import { join } from 'node:path'
import { randomSecret, StartError, type DataFolder } from '../../foundation/data-folder.ts'
import { proofName, proofOf } from '../../cluster/share-secret.ts'

interface Deps {
  store: {
    settings: Pick<SettingStore, 'readSetting' | 'writeSetting'>
    database: Pick<DatabaseStore, 'countStore'>
  }
  folder: Pick<DataFolder, 'path' | 'read' | 'write'>
  /** VITAE_SECRET_KEY. */
  configured: string | null
}

const fileName = 'secret-key'

/**
 * The secret of an embedded store: the configured one, or the one in the data folder, which the first start creates.
 * The store knows its fingerprint. With another secret, erased people would no longer be recognised and retries would
 * be billed again. So a missing, empty or damaged file prevents the start.
 */
export async function openSecret({ store, folder, configured }: Deps): Promise<string> {
  const proof = await store.settings.readSetting({ name: proofName })
  const secret = configured ?? (folder.read(fileName)?.trim() || null)
  if (secret !== null && proof === proofOf(secret)) return secret
  if (proof !== null && configured === null) throw new StartError(lost(join(folder.path, fileName), secret !== null))
  if (proof !== null) await refuseAfterErasures(store)
  const opened = secret ?? randomSecret()
  // The file first: no secret could match the fingerprint of one that was never written.
  if (secret === null) folder.write(fileName, `${opened}\n`)
  await store.settings.writeSetting({ name: proofName, value: proofOf(opened) })
  return opened
}

async function refuseAfterErasures(store: Deps['store']): Promise<void> {
  const { suppressions } = await store.database.countStore(null)
  if (suppressions === 0) return
  throw new StartError(
    'VITAE_SECRET_KEY is not the secret of this store, so erased people would no longer be recognised. Set it to the original secret (without VITAE_SECRET_KEY, that is the file secret-key in the data folder)',
  )
}

function lost(path: string, isOther: boolean): string {
  const state = isOther
    ? 'does not contain the secret of this store'
    : 'is missing or empty, and this store has a secret'
  return `${path} ${state}: put the file back from a copy, or set VITAE_SECRET_KEY to that secret; if it is lost and nobody was ever erased, set VITAE_SECRET_KEY to a new one`
}
