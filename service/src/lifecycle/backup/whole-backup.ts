import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { trailerOf } from '../../database/sqlite/reader/read-backup.ts'
import { askReader } from '../../database/sqlite/reader/reader.ts'
import { BackupError } from './verify-backup.ts'

/** Appends the digest to a store that is about to become a backup. */
export async function addDigest(path: string): Promise<void> {
  const { size } = statSync(path)
  const digest = await askReader({ kind: 'digest', path })
  if (digest !== null) appendFileSync(path, trailerOf(digest, size))
}

/**
 * Turns a copy of a backup into a store: fails unless it equals, byte by byte, what was written, and removes the
 * digest. A backup without a digest is accepted only on request.
 */
export async function takeStore(path: string, { withoutDigest }: { withoutDigest: boolean }): Promise<void> {
  const facts = await askReader({ kind: 'backup', path })
  if (facts === null) throw new BackupError('It could not be read.')
  if (facts.digest === 'differs') throw new BackupError('It was changed after it was made: its digest does not match.')
  if (facts.fault !== null) throw new BackupError(`${facts.fault}.`)
  if (facts.digest === null && !withoutDigest)
    throw new BackupError(
      'It has no digest. Either its end is missing, or an older version made it; in that case restore it with --without-digest.',
    )
  truncateSync(path, facts.bytes)
}
