import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { constants, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { dictionary } from '../../src/database/packing/dictionary.ts'

const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Every occurrence of a marker in a folder: in the bytes of any file, in every compressed frame even in freed space,
 * and in every value of every table. Case-insensitive.
 */
export function placesOf(marker: string, folder: string): string[] {
  return [...findMarkers(new RegExp(marker.replace(/\W/g, '\\$&'), 'gi'), folder).values()].flatMap((places) => [
    ...places,
  ])
}

/** Like `placesOf`, for all markers of one pattern: each found marker in lower case, with its places. */
export function findMarkers(pattern: RegExp, folder: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const look: Look = (text, place) => {
    for (const [marker] of text.matchAll(pattern)) {
      const places = found.get(marker.toLowerCase()) ?? new Set()
      found.set(marker.toLowerCase(), places.add(place))
    }
  }
  for (const path of filesIn(folder)) lookInFile(path, look)
  const store = join(folder, 'vitae.db')
  if (existsSync(store)) lookInTables(store, look)
  return found
}

/**
 * Like `placesOf`, for PostgreSQL: in the files of every table and index, even in freed space, and in every record and
 * payload.
 */
export async function placesInPostgres(marker: string, databaseUrl: string): Promise<string[]> {
  const places = new Set<string>()
  const look: Look = (text, place) => {
    if (text.toLowerCase().includes(marker.toLowerCase())) places.add(place)
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('checkpoint')
    const { rows: files } = await client.query<{ name: string; bytes: Buffer }>(
      `select relname as name, pg_read_binary_file(pg_relation_filepath(oid), 0, 100000000, true) as bytes from pg_class
       where relkind in ('r', 'i', 't') and relnamespace <> 'pg_catalog'::regnamespace and pg_relation_filepath(oid) is not null`,
    )
    for (const { name, bytes } of files) lookInBytes(bytes, name, look)
    const { rows: blobs } = await client.query<{ name: string; bytes: Buffer }>(
      `select 'versions.body' as name, body as bytes from versions union all select 'payloads.bytes', bytes from payloads`,
    )
    for (const { name, bytes } of blobs) lookInValue(bytes, name, look)
  } finally {
    await client.end()
  }
  return [...places]
}

type Look = (text: string, place: string) => void

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

function lookInFile(path: string, look: Look): void {
  lookInBytes(readFileSync(path), path, look)
}

function lookInBytes(bytes: Buffer, path: string, look: Look): void {
  look(bytes.toString('latin1'), path)
  for (let at = bytes.indexOf(frameStart); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = opened(bytes.subarray(at, at + 65_536))
    if (frame) look(frame.toString('latin1'), `${path} (compressed, at byte ${at})`)
  }
}

function lookInTables(path: string, look: Look): void {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[]
    for (const { name } of tables)
      for (const row of db.prepare(`select * from "${name}"`).all())
        for (const [column, value] of Object.entries(row)) lookInValue(value, `${name}.${column}`, look)
  } finally {
    db.close()
  }
}

function lookInValue(value: unknown, place: string, look: Look): void {
  if (typeof value === 'string') return look(value, place)
  if (!(value instanceof Uint8Array)) return
  const bytes = Buffer.from(value)
  // In a packed value a mark precedes the frame.
  for (const read of [bytes, opened(bytes), opened(bytes.subarray(1))]) if (read) look(read.toString('latin1'), place)
}

/** The readable part of a compressed frame, which may be truncated or followed by other bytes. */
function opened(bytes: Buffer): Buffer | null {
  try {
    return zstdDecompressSync(bytes, { dictionary, finishFlush: constants.ZSTD_e_flush })
  } catch {
    return null
  }
}
