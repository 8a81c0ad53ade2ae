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
const folder = join(import.meta.dirname, '../../../console/dist')

/** Reads the built console once, by path inside its folder; an empty map where it was never built. */
export function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(entry)]
    if (type === undefined) continue
    const bytes = readFileSync(join(folder, entry))
    files.set(entry.replaceAll('\\', '/'), { type, bytes, zipped: gzipSync(bytes, { level: 9 }) })
  }
  return files
}
