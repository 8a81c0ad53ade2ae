// Plain JavaScript without dependencies: the command line reads this before anything else, on any Node.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. A packed command line is in none, and finds no bundle there. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url))

/** The main module of the checkout's bundle; null when there is none, or when a file it was made from has changed. */
export function findBundle() {
  try {
    const { files, digest } = JSON.parse(readFileSync(`${checkout}dist/made-from.json`, 'utf8'))
    return digestOf(files) === digest ? new URL('../../dist/main.js', import.meta.url).href : null
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

/**
 * Makes stack traces name the lines of the sources. Node itself would read all maps at every start, which takes an eighth
 * of it: here the map of a module is read when a trace needs it.
 */
export function mapStacks(bundle) {
  const folder = new URL('./', bundle).href
  const maps = new Map()
  const sourceOf = (place, url, line, column) => {
    if (!url.startsWith(folder)) return place
    if (!maps.has(url)) maps.set(url, new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8'))))
    const { fileName, lineNumber, columnNumber } = maps.get(url).findOrigin(Number(line), Number(column))
    return fileName ? `${fileURLToPath(new URL(fileName, url))}:${lineNumber}:${columnNumber}` : place
  }
  Error.prepareStackTrace = (error, calls) => {
    const lines = calls.map((call) => `    at ${call}`.replace(/(file:\/\/[^\s()]+\.js):(\d+):(\d+)/, sourceOf))
    return [Error.prototype.toString.call(error), ...lines].join('\n')
  }
}
