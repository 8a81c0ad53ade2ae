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
 * Makes a folder for its owner alone, and those above it; gives the topmost that it made. Node's own `recursive` never ends
 * where a folder takes no others, such as /proc.
 */
export function makeFolder(path: string): string | undefined {
  if (isFolder(path)) return undefined
  const made = existsSync(dirname(path)) ? undefined : makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Several processes of one service may make it at once.
    if (!isFolder(path)) throw error
  }
  return made ?? path
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/** Writes a small file. After a power cut it holds all of the new content or all of the old. */
export function writeDurably(path: string, content: string): void {
  // Several processes of one service may write the same file at once.
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, content, { mode: fileMode, flush: true })
  chmodSync(draft, fileMode)
  giveToFolderOwner(draft)
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** What root writes into a folder of another user belongs to that user, whose service has to open it. */
export function giveToFolderOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) chownSync(path, uid, gid)
}

/** Gives a finished file of any size its name. When it resolves, its content and then its name are on the disk. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await syncFile(from)
  await rename(from, to)
  syncFolder(dirname(to))
}

/** Makes sure that a file is on the disk, not only in memory. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Puts the names in a folder on the disk: a new file is lost in a power cut until its folder is written. */
export function syncFolder(path: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
