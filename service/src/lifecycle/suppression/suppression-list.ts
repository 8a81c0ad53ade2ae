import type { SettingStore } from '../../cluster/node-operations.ts'
import type { SuppressionStore } from '../../records/operations.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../foundation/log.ts'
import type { Suppression, SuppressionPage } from '../../records/suppression/suppressions.ts'
import { backupPaths } from '../store/backup-paths.ts'
import type { SuppressionChangeStore } from '../store/operations.ts'
import { replaceFile, suppressionFileName, suppressionsBeside, type SuppressionFile } from './suppression-file.ts'

type Change<Name extends keyof SuppressionChangeStore> = SuppressionChangeStore[Name]

interface ListStore {
  suppressionChanges: SuppressionChangeStore
  suppressions: Pick<SuppressionStore, 'suppressionsOfSubjects'>
}

/**
 * The suppression list. Every change goes through it and is in its file before it is confirmed. A removal is written to
 * the file first and an addition last, so that after a crash in between the file never lacks a name that the store has
 * dropped. On PostgreSQL there is no file.
 */
export class SuppressionList implements SuppressionChangeStore {
  readonly #store: ListStore
  readonly #file: SuppressionFile | null

  constructor(store: ListStore, file: SuppressionFile | null) {
    this.#store = store
    this.#file = file
  }

  readonly addSuppressions: Change<'addSuppressions'> = async (args) => {
    const { hashes, subjects = [], kind, origin, at } = args
    const result = await this.#store.suppressionChanges.addSuppressions(args)
    const subjectOf = new Map(subjects.flatMap((names) => names.map((hash) => [hash, names.toSorted()[0] ?? null])))
    await this.#file?.add(
      hashes.map((hash) => ({ hash, kind, origin, createdAt: at, subject: subjectOf.get(hash) ?? null })),
    )
    return result
  }

  readonly importSuppressions: Change<'importSuppressions'> = async (args) => {
    const result = await this.#store.suppressionChanges.importSuppressions(args)
    await this.#file?.add(args.items)
    return result
  }

  readonly removeSuppressions: Change<'removeSuppressions'> = async (args) => {
    await this.#file?.remove(args.hashes, args.at)
    return this.#store.suppressionChanges.removeSuppressions(args)
  }

  readonly eraseEntity: Change<'eraseEntity'> = async (args) => {
    const { kind, at: createdAt } = args
    const result = await this.#store.suppressionChanges.eraseEntity(args)
    const { hashes } = result
    if (!this.#file || hashes.length === 0) return result
    // Its names are known only inside the operation.
    const found = await this.#store.suppressions.suppressionsOfSubjects({ hashes })
    const subjects = new Map(found.map(({ hash, subject }) => [hash, subject ?? null]))
    await this.#file.add(
      hashes.map((hash) => ({ hash, kind, origin: 'erasure', createdAt, subject: subjects.get(hash) ?? null })),
    )
    return result
  }

  /** Copies the file to the backups: a new one lacks the names that were added since its snapshot was read. */
  async copyToBackups(): Promise<void> {
    await this.#file?.copy()
  }
}

/** The whole list, oldest first, read in pages. */
export async function* allSuppressions(
  list: SuppressionStore['listSuppressions'],
): AsyncGenerator<Suppression, void, undefined> {
  let cursor: SuppressionPage['next'] = null
  do {
    const page: SuppressionPage = await list({ limit: 1_000, cursor })
    yield* page.items
    cursor = page.next
  } while (cursor)
}

/** Copies the list to the backups: it must survive the data folder that they replace. */
export function besideBackups(deps: {
  backupDir: string | null
  store: { settings: Pick<SettingStore, 'readSetting'> }
  log: Log
}): (path: string) => Promise<void> {
  return async (path) => {
    const files = (await backupPaths(deps.store)).filter((file) => existsSync(file)).map(suppressionsBeside)
    const folders = deps.backupDir !== null && existsSync(deps.backupDir) ? [deps.backupDir] : []
    for (const copy of [...folders.map((folder) => join(folder, suppressionFileName)), ...files]) {
      // The erasure itself is done; an unavailable backup disk must not make it fail.
      await replaceFile(path, copy).catch((error: unknown) =>
        deps.log.warn({ err: error, copy }, 'could not copy the suppression list beside a backup'),
      )
    }
  }
}
