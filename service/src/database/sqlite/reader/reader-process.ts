import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { syncFile } from '../../../foundation/durable-file.ts'
import { digestOf, readBackup, type BackupFacts } from './read-backup.ts'
import { searchFreeSpace, type FreeSpaceFound, type FreeSpaceSearch } from './search-free-space.ts'

/** What the reader is asked. */
export type Question =
  | { kind: 'backup'; path: string }
  | { kind: 'check'; path: string }
  | { kind: 'digest'; path: string }
  | { kind: 'sync'; path: string }
  | ({ kind: 'search' } & FreeSpaceSearch)

/** What it answers. */
export interface Answers {
  backup: BackupFacts
  /** What the engine finds wrong with the file. */
  check: string[]
  /** SHA-256 in hex. */
  digest: string
  sync: null
  search: FreeSpaceFound
}

export type ReaderReply = { answer: Answers[Question['kind']] } | { error: string }

/** The program of the reader: one question, one answer. `askReader` starts and ends it. */
process.once('message', (question) => {
  answer(question as Question).then(
    (given) => process.send?.({ answer: given } satisfies ReaderReply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies ReaderReply),
  )
})
process.once('disconnect', () => process.exit())
// Whatever it is asked, a caller's answer is more urgent.
setPriority(10)

async function answer(question: Question): Promise<Answers[Question['kind']]> {
  switch (question.kind) {
    case 'backup':
      return readBackup(question.path)
    case 'check':
      return damageOf(question.path)
    case 'digest':
      return digestOf(question.path)
    case 'sync':
      await syncFile(question.path)
      return null
    case 'search':
      return searchFreeSpace(question)
  }
}

function damageOf(path: string): string[] {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const rows = store.prepare('pragma integrity_check(10)').all()
    return rows.map((row) => String(row['integrity_check'])).filter((line) => line !== 'ok')
  } catch (error) {
    // Some damage the engine does not list but stumbles over.
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    store.close()
  }
}
