import { DatabaseSync } from 'node:sqlite'
import { syncFile } from '../../../foundation/durable-file.ts'
import { damageOf } from './check-file.ts'
import { watchProcess } from './watch-process.ts'
import { digestOf, readBackup, type BackupFacts } from './read-backup.ts'
import { searchFreeSpace, type FreeSpaceFound, type FreeSpaceSearch } from './search-free-space.ts'

/** The questions to the reader. */
export type Question =
  | { kind: 'backup'; path: string }
  | { kind: 'check'; path: string; how: 'quick' | 'full' }
  | { kind: 'copy'; path: string; target: string }
  | { kind: 'digest'; path: string }
  | { kind: 'sync'; path: string }
  | ({ kind: 'search' } & FreeSpaceSearch)

/** Its answers. */
export interface Answers {
  backup: BackupFacts
  /** The damage that the engine finds in the file. */
  check: string[]
  copy: null
  /** SHA-256 in hex. */
  digest: string
  sync: null
  search: FreeSpaceFound
}

export type ReaderReply = { answer: Answers[Question['kind']] } | { error: string }

/** The program of the reader: it answers each question. `askReader` starts and ends it. */
process.on('message', (question) => {
  answer(question as Question).then(
    (given) => process.send?.({ answer: given } satisfies ReaderReply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies ReaderReply),
  )
})
watchProcess(Number(process.argv[2]))

async function answer(question: Question): Promise<Answers[Question['kind']]> {
  switch (question.kind) {
    case 'backup':
      return readBackup(question.path)
    case 'check':
      return damageOf(question, (progress) => process.send?.(progress))
    case 'copy':
      return copyStore(question.path, question.target)
    case 'digest':
      return digestOf(question.path)
    case 'sync':
      await syncFile(question.path)
      return null
    case 'search':
      return searchFreeSpace(question)
  }
}

/** Copies a store into an empty file that has its mode already. */
function copyStore(path: string, target: string): null {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    // One read transaction: in WAL mode readers block no writer, and the copy is one snapshot.
    store.prepare('vacuum into ?').run(target)
    return null
  } finally {
    store.close()
  }
}
