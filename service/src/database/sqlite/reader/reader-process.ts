import { DatabaseSync } from 'node:sqlite'
import { syncFile } from '../../../foundation/durable-file.ts'
import { watchProcess } from './watch-process.ts'
import { digestOf, readBackup, type BackupFacts } from './read-backup.ts'
import { searchFreeSpace, type FreeSpaceFound, type FreeSpaceSearch } from './search-free-space.ts'

/** The questions to the reader. */
export type Question =
  | { kind: 'backup'; path: string }
  | { kind: 'check'; path: string; how: 'quick' | 'full' }
  | { kind: 'digest'; path: string }
  | { kind: 'sync'; path: string }
  | ({ kind: 'search' } & FreeSpaceSearch)

/** Its answers. */
export interface Answers {
  backup: BackupFacts
  /** The damage that the engine finds in the file. */
  check: string[]
  /** SHA-256 in hex. */
  digest: string
  sync: null
  search: FreeSpaceFound
}

export type ReaderReply = { answer: Answers[Question['kind']] } | { error: string }

/** Progress before the answer: the number of checked tables. */
export interface ReaderProgress {
  done: number
  all: number
}

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
      return damageOf(question)
    case 'digest':
      return digestOf(question.path)
    case 'sync':
      await syncFile(question.path)
      return null
    case 'search':
      return searchFreeSpace(question)
  }
}

/**
 * Checks table by table, because a check of the whole file reports nothing until its end. A quick check skips comparing
 * indexes with their tables, which takes most of the time. Checking the schema table includes the list of free pages.
 */
function damageOf({ path, how }: { path: string; how: 'quick' | 'full' }): string[] {
  const check = how === 'full' ? 'integrity_check' : 'quick_check'
  const damage: string[] = []
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const rows = store.prepare("select name from sqlite_schema where type = 'table'").all()
    const tables = ['sqlite_schema', ...rows.map((row) => String(row['name']))]
    for (const [index, table] of tables.entries()) {
      process.send?.({ done: index, all: tables.length } satisfies ReaderProgress)
      const lines = store.prepare(`pragma ${check}("${table}")`).all()
      damage.push(...lines.map((line) => String(line[check])).filter((line) => line !== 'ok'))
    }
  } catch (error) {
    // Some damage makes the engine fail instead of being listed.
    damage.push(error instanceof Error ? error.message : String(error))
  } finally {
    store.close()
  }
  return damage.slice(0, 10)
}
