import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { DatabaseSync } from 'node:sqlite'

/** The facts about a file that should be a backup. */
export interface BackupFacts {
  /** The number of bytes of the store; the digest follows them. */
  bytes: number
  /** Null if the digest is missing: a version before digests made the file, or its end is missing. */
  digest: 'fits' | 'differs' | null
  /** Why it is not a complete Vitae store; null if nothing is wrong. */
  fault: string | null
}

/** The digest follows the last page, where SQLite never reads: one file, which cannot be separated from it. */
const trailer = /^vitae-backup sha256 ([\da-f]{64}) (\d{16})\n$/
const trailerBytes = trailerOf('0'.repeat(64), 0).length

/** The text that follows a store with this digest. */
export function trailerOf(digest: string, bytes: number): string {
  return `vitae-backup sha256 ${digest} ${String(bytes).padStart(16, '0')}\n`
}

/** SHA-256 in hex of a file, or of its first bytes. */
export async function digestOf(path: string, bytes?: number): Promise<string> {
  const hash = createHash('sha256')
  const end = bytes === undefined ? {} : { end: bytes - 1 }
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576, ...end }), hash)
  return hash.digest('hex')
}

/** Checks whether a file is a complete backup, without changing it. */
export async function readBackup(path: string): Promise<BackupFacts> {
  const { size, head, tail } = await endsOf(path)
  const [, written, length] = trailer.exec(tail) ?? []
  const bytes = written === undefined ? size : size - trailerBytes
  const digest = written === undefined ? null : await compare(path, { bytes, written, length })
  if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') return { bytes, digest, fault: 'It is not a SQLite file' }
  const size16 = head.readUInt16BE(16)
  // Page size times number of pages (sqlite.org/fileformat.html, section 1.3).
  if (bytes !== (size16 === 1 ? 65_536 : size16) * head.readUInt32BE(28))
    return { bytes, digest, fault: 'It is cut short, or something was appended to it' }
  return { bytes, digest, fault: foreignness(path) }
}

async function compare(
  path: string,
  { bytes, written, length }: { bytes: number; written: string; length: string | undefined },
): Promise<'fits' | 'differs'> {
  return bytes > 0 && bytes === Number(length) && (await digestOf(path, bytes)) === written ? 'fits' : 'differs'
}

async function endsOf(path: string): Promise<{ size: number; head: Buffer; tail: string }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const read = async (position: number, length: number) =>
      (await file.read({ buffer: Buffer.alloc(length), position })).buffer
    const tail = size < trailerBytes ? '' : (await read(size - trailerBytes, trailerBytes)).toString('latin1')
    return { size, head: await read(0, 100), tail }
  } finally {
    await file.close()
  }
}

const ours = ['migrations', 'settings', 'ledger_entries', 'audit']

function foreignness(path: string): string | null {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const tables = store.prepare("select name from sqlite_schema where type = 'table'").all()
    const names = new Set(tables.map((row) => row['name']))
    if (!ours.every((name) => names.has(name))) return 'It is not a Vitae database'
    return store.prepare('select 1 from migrations').get() ? null : 'It is an unfinished Vitae store'
  } catch (error) {
    return `It cannot be read: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    store.close()
  }
}
