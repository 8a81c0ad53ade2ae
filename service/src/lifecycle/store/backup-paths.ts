import type { SettingStore } from '../../cluster/node-operations.ts'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const setting = 'backup.places'
const keptAtMost = 20

/** The paths of manual backups: later erasures are written beside them. */
export async function backupPaths(store: { settings: Pick<SettingStore, 'readSetting'> }): Promise<string[]> {
  const text = await store.settings.readSetting({ name: setting })
  return text === null ? [] : (JSON.parse(text) as string[])
}

/** Remembers another path; the oldest ones are dropped. */
export async function rememberBackupPath(
  store: { settings: Pick<SettingStore, 'readSetting' | 'writeSetting'> },
  path: string,
): Promise<void> {
  const others = (await backupPaths(store)).filter((place) => place !== path)
  await store.settings.writeSetting({ name: setting, value: JSON.stringify([path, ...others].slice(0, keptAtMost)) })
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
