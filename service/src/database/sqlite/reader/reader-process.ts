import { DatabaseSync } from 'node:sqlite'
import { syncFile } from '../../../foundation/durable-file.ts'
import { watchProcess } from './watch-process.ts'
import { digestOf, readBackup, type BackupFacts } from './read-backup.ts'
import { searchFreeSpace, type FreeSpaceFound, type FreeSpaceSearch } from './search-free-space.ts'

/** What the reader is asked. */
export type Question =
  | { kind: 'backup'; path: string }
  | { kind: 'check'; path: string; how: 'quick' | 'full' }
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

/** Said before the answer: how many of all tables are checked. */
export interface ReaderProgress {
  done: number
  all: number
}

/** The program of the reader: an answer to each question. `askReader` starts and ends it. */
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
 * Table by table, because a check of the whole file says nothing until its end. A quick one leaves out whether indexes hold
 * what their tables do, which takes most of the time; with the table of the schema goes the list of free pages.
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
    // Some damage the engine does not list but stumbles over.
    damage.push(error instanceof Error ? error.message : String(error))
  } finally {
    store.close()
  }
  return damage.slice(0, 10)
}
