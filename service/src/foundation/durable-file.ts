import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

const fileMode = 0o600

/**
 * Creates a folder and its parents with access for the owner only; returns the topmost created one. Node's own
 * `recursive` never returns if a parent accepts no folders, such as /proc.
 */
export function makeFolder(path: string): string | undefined {
  if (isFolder(path)) return undefined
  const made = existsSync(dirname(path)) ? undefined : makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Several processes of one service may create it concurrently.
    if (!isFolder(path)) throw error
  }
  return made ?? path
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/** Writes a small file. After a power cut it has either all of the new content or all of the old. */
export function writeDurably(path: string, content: string): void {
  // Several processes of one service may write the same file concurrently.
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, content, { mode: fileMode, flush: true })
  chmodSync(draft, fileMode)
  giveToFolderOwner(draft)
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** A file that root writes into another user's folder is given to that user, whose service must open it. */
export function giveToFolderOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) chownSync(path, uid, gid)
}

/** Renames a finished file of any size. When it resolves, its content and its name are on the disk. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await syncFile(from)
  await rename(from, to)
  syncFolder(dirname(to))
}

/** Ensures that a file is on the disk, not only in memory. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs the names in a folder: until then, a power cut loses a new file. */
export function syncFolder(path: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
