import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { trailerOf } from '../../database/sqlite/reader/read-backup.ts'
import { askReader } from '../../database/sqlite/reader/reader.ts'
import { BackupError } from './verify-backup.ts'

/** Writes its digest behind a store that is about to become a backup. */
export async function addDigest(path: string): Promise<void> {
  const { size } = statSync(path)
  const digest = await askReader({ kind: 'digest', path })
  if (digest !== null) appendFileSync(path, trailerOf(digest, size))
}

/**
 * Makes the store of a copy of a backup: fails unless it is, byte by byte, what was written when the backup was made, and
 * takes the digest off. A backup without one is taken only where that is wished for.
 */
export async function takeStore(path: string, { withoutDigest }: { withoutDigest: boolean }): Promise<void> {
  const facts = await askReader({ kind: 'backup', path })
  if (facts === null) throw new BackupError('It could not be read.')
  if (facts.digest === 'differs') throw new BackupError('It is not what was written: its digest does not fit.')
  if (facts.fault !== null) throw new BackupError(`${facts.fault}.`)
  if (facts.digest === null && !withoutDigest)
    throw new BackupError(
      'It carries no digest: either its end is missing, or a version before digests made it; then restore it with --without-digest.',
    )
  truncateSync(path, facts.bytes)
}
