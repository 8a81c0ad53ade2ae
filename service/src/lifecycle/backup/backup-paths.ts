import type { Store } from '../../database/store.ts'
import type { NodeOperations } from '../../cluster/node-operations.ts'

const setting = 'backup.places'
const keptAtMost = 20

type Deps = Pick<Store<NodeOperations>, 'readSetting' | 'writeSetting'>

/** Where backups were made by hand: later erasures are written beside them. */
export async function backupPaths(store: Pick<Deps, 'readSetting'>): Promise<string[]> {
  const text = await store.readSetting({ name: setting })
  return text === null ? [] : (JSON.parse(text) as string[])
}

/** Remembers one more such place; the oldest are forgotten. */
export async function rememberBackupPath(store: Deps, path: string): Promise<void> {
  const others = (await backupPaths(store)).filter((place) => place !== path)
  await store.writeSetting({ name: setting, value: JSON.stringify([path, ...others].slice(0, keptAtMost)) })
}
