// Plain JavaScript without dependencies: the command line reads this before anything else.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Stack traces name the lines of the sources, for the modules of a bundle in this folder. A map is read when a trace is asked
 * for: Node's own support reads all of them, and measures every line of the bundle, at every start.
 */
export function nameSourceLines(bundle) {
  const maps = new Map()
  const mapOf = (url) => {
    if (!maps.has(url)) maps.set(url, new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8'))))
    return maps.get(url)
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${inSource(frame, bundle, mapOf)}`)
    return `${headOf(error)}${lines.join('')}`
  }
}

/** As Node writes it, with the code of its own errors. */
function headOf(error) {
  const isOfNode = typeof error.code === 'string' && error.code.startsWith('ERR_')
  const text = Error.prototype.toString.call(error)
  return isOfNode ? text.replace(error.name, `${error.name} [${error.code}]`) : text
}

function inSource(frame, bundle, mapOf) {
  const text = frame.toString()
  try {
    const url = frame.getFileName()
    if (!url?.startsWith(bundle)) return text
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()]
    const found = mapOf(url).findEntry(line - 1, column - 1)
    if (!found.originalSource) return text
    const source = fileURLToPath(new URL(found.originalSource, url))
    return text.replace(`${url}:${line}:${column}`, `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`)
  } catch {
    // A trace must never fail for the want of a map.
    return text
  }
}
