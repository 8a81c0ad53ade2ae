import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOperation, Store } from '../../database/store.ts'
import type { Log } from '../../foundation/log.ts'
import type { NodeOperations } from '../../cluster/node-operations.ts'
import type { LifecycleStore } from '../operations.ts'
import type { Suppression, SuppressionPage } from '../../records/suppression/suppressions.ts'
import { backupPaths } from '../backup/backup-paths.ts'
import { replaceFile, suppressionFileName, suppressionsBeside, type SuppressionFile } from './suppression-file.ts'

type Changes = Pick<
  LifecycleStore,
  'addSuppressions' | 'importSuppressions' | 'removeSuppressions' | 'eraseEntity' | 'listSuppressions'
>
type Args<Name extends keyof Changes> = Parameters<Changes[Name]>[0]

const changes = new Set(['addSuppressions', 'importSuppressions', 'removeSuppressions', 'eraseEntity'])

/**
 * Writes every change of the suppression list to its file, below every caller of the store: a change is in the file before
 * it is reported as done. A removal is written to the file first and an addition last, so that after a crash in between
 * the file never lacks a name that the store has forgotten.
 */
export function withSuppressionFile(run: RunOperation, file: SuppressionFile): RunOperation {
  const change: RunOperation = async (name, args) => {
    if (name === 'removeSuppressions') {
      const { hashes, at } = args as Args<'removeSuppressions'>
      await file.remove(hashes, at)
    }
    const result = await run(name, args)
    await file.add(await addedBy(run, name, args))
    return result
  }
  return (name, args) => (changes.has(name) ? change(name, args) : run(name, args))
}

async function addedBy(run: RunOperation, name: string, args: unknown): Promise<Omit<Suppression, 'reason'>[]> {
  if (name === 'addSuppressions') {
    const { hashes, subjects = [], kind, origin, at } = args as Args<'addSuppressions'>
    const subjectOf = new Map(subjects.flatMap((names) => names.map((hash) => [hash, names.toSorted()[0] ?? null])))
    return hashes.map((hash) => ({ hash, kind, origin, createdAt: at, subject: subjectOf.get(hash) ?? null }))
  }
  if (name === 'importSuppressions') return (args as Args<'importSuppressions'>).items
  if (name !== 'eraseEntity') return []
  // Its names are known only inside the operation; those that it added carry its time.
  const { at } = args as Args<'eraseEntity'>
  const added: Suppression[] = []
  for await (const item of allSuppressions((page) => run('listSuppressions', page) as Promise<SuppressionPage>, at)) {
    if (item.createdAt > at) break
    added.push(item)
  }
  return added
}

/** The whole list, oldest first, read a page at a time. */
export async function* allSuppressions(
  list: Changes['listSuppressions'],
  since?: number,
): AsyncGenerator<Suppression, void, undefined> {
  let cursor: SuppressionPage['next'] = null
  do {
    const page: SuppressionPage = await list({ limit: 1_000, cursor, ...(since === undefined ? {} : { since }) })
    yield* page.items
    cursor = page.next
  } while (cursor)
}

/** Takes the list to where the backups are: it must survive the data folder that they are there to replace. */
export function besideBackups(deps: {
  backupDir: string | null
  store: Pick<Store<NodeOperations>, 'readSetting'>
  log: Log
}): (path: string) => Promise<void> {
  return async (path) => {
    const files = (await backupPaths(deps.store)).filter((file) => existsSync(file)).map(suppressionsBeside)
    const folders = deps.backupDir !== null && existsSync(deps.backupDir) ? [deps.backupDir] : []
    for (const copy of [...folders.map((folder) => join(folder, suppressionFileName)), ...files]) {
      // The erasure itself is done; a disk that is away for backups must not make it fail.
      await replaceFile(path, copy).catch((error: unknown) =>
        deps.log.warn({ err: error, copy }, 'the suppression list could not be copied beside a backup'),
      )
    }
  }
}
