import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../database/engine/operation.ts'
import type { NodeOperations } from '../../cluster/node-operations.ts'

const setting = 'backup.places'
const keptAtMost = 20

type Deps = Pick<Store<NodeOperations>, 'readSetting' | 'writeSetting'>

/** The paths of manual backups: later erasures are written beside them. */
export async function backupPaths(store: Pick<Deps, 'readSetting'>): Promise<string[]> {
  const text = await store.readSetting({ name: setting })
  return text === null ? [] : (JSON.parse(text) as string[])
}

/** Remembers another path; the oldest ones are dropped. */
export async function rememberBackupPath(store: Deps, path: string): Promise<void> {
  const others = (await backupPaths(store)).filter((place) => place !== path)
  await store.writeSetting({ name: setting, value: JSON.stringify([path, ...others].slice(0, keptAtMost)) })
}

/** When the newest backup in a folder was made; a backup has its name only after it was verified. */
export function newestBackupAt(folder: string): number | null {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.db'))
    const times = files.map((file) => statSync(join(folder, file)).mtimeMs)
    return times.length > 0 ? Math.max(...times) : null
  } catch {
    // A folder that does not exist yet contains no backup.
    return null
  }
}
