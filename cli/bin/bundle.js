// Plain JavaScript without dependencies: the command line reads this before anything else, on any Node.
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. A packed command line is in none, and finds no bundle there. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url))

/** The main module of the checkout's bundle; null when there is none, or when a file it was made from has changed. */
export function findBundle() {
  try {
    const { files, digest, changes } = JSON.parse(readFileSync(`${checkout}dist/made-from.json`, 'utf8'))
    // Where the files were copied, with other times, their contents decide; to read them takes as long as to start Node.
    return changesOf(files) === changes || digestOf(files) === digest
      ? new URL('../../dist/main.js', import.meta.url).href
      : null
  } catch {
    return null
  }
}

/** One digest of the names and contents of files in the checkout. */
export function digestOf(files) {
  const hash = createHash('sha1')
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(checkout + file))
  return hash.digest('hex')
}

/** When each file was changed, by the clock of its file system, which nobody can set back for a file. */
export function changesOf(files) {
  const hash = createHash('sha1')
  for (const file of files) hash.update(`${statSync(checkout + file).ctimeMs} `)
  return hash.digest('hex')
}
