import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** One built file of the console, ready to send in both forms. */
export interface ConsoleFile {
  type: string
  bytes: Buffer
  zipped: Buffer
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** In the checkout the console is built beside the service; a packed service carries it along. */
const folders = ['../../../console/dist', '../../console-dist'].map((path) => join(import.meta.dirname, path))

let read: ReadonlyMap<string, ConsoleFile> | null = null

/** The built console by path inside its folder, read when somebody first looks at it; an empty map where it was never built. */
export function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> {
  read ??= readFolder()
  return read
}

function readFolder(): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>()
  const folder = folders.find((path) => existsSync(path))
  if (!folder) return files
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(entry)]
    if (type === undefined) continue
    const bytes = readFileSync(join(folder, entry))
    files.set(entry.replaceAll('\\', '/'), { type, bytes, zipped: gzipSync(bytes, { level: 9 }) })
  }
  return files
}
