import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { constants, zstdDecompressSync } from 'node:zlib'

const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Every place where a marker stands: in any byte of any file of a folder, in every compressed frame that begins
 * anywhere in them, also in freed space, and in every value of every table. Upper and lower case are the same.
 */
export function placesOf(marker: string, folder: string): string[] {
  const sought = marker.toLowerCase()
  const files = filesIn(folder).flatMap((path) => placesInFile(path, sought))
  const store = join(folder, 'vitae.db')
  return [...files, ...(existsSync(store) ? placesInTables(store, sought) : [])]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

function placesInFile(path: string, sought: string): string[] {
  const bytes = readFileSync(path)
  const places = holds(bytes, sought) ? [path] : []
  for (let at = bytes.indexOf(frameStart); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = opened(bytes.subarray(at, at + 65_536))
    if (frame && holds(frame, sought)) places.push(`${path} (compressed, at byte ${at})`)
  }
  return places
}

function placesInTables(path: string, sought: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[]
    return tables.flatMap(({ name }) => {
      const rows = db.prepare(`select * from "${name}"`).all()
      return rows.flatMap((row) =>
        Object.entries(row).flatMap(([column, value]) => (says(value, sought) ? [`${name}.${column}`] : [])),
      )
    })
  } finally {
    db.close()
  }
}

function says(value: unknown, sought: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(sought)
  if (!(value instanceof Uint8Array)) return false
  const bytes = Buffer.from(value)
  const inner = opened(bytes)
  return holds(bytes, sought) || (inner !== null && holds(inner, sought))
}

function holds(bytes: Buffer, sought: string): boolean {
  return bytes.toString('latin1').toLowerCase().includes(sought)
}

/** As much of a compressed frame as can be read; what follows it or is missing from it does not matter. */
function opened(bytes: Buffer): Buffer | null {
  try {
    return zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush })
  } catch {
    return null
  }
}
