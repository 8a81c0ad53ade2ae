import { type FileHandle, open } from 'node:fs/promises'
import type { Company, Kind, Person } from '@vitae/contract'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import { projectContract } from '../contract-shape/contract-projection.ts'
import { type Identity, type MatchInput, ProviderFault } from '@vitae/provider'
import { type NameIndex, createNameIndex, heldNames, type Matched, questionsOf } from './name-index.ts'

/** The records of one kind, in one file. */
export interface Shelf {
  count: number
  /** The line of a record as written in the file; null if absent. */
  find(identifier: Identifier): Promise<Uint8Array | null>
  /** The lines of all records that match, found by the most reliable part of the input that matches any. */
  match(input: MatchInput): Promise<Matched>
  close(): Promise<void>
}

/** Called for a line, or for fields of a line, that cannot be read. */
export type OnBadLine = (line: { file: string; number: number; reason: string; fields?: readonly string[] }) => void

/**
 * The positions of the lines, in two arrays of numbers: a million small objects would use as much memory as the
 * records.
 */
interface Catalogue {
  index: NameIndex
  offsets: number[]
  lengths: number[]
}

const maxLineBytes = 8 * 1024 * 1024

/**
 * Opens a file of records, one JSON object per line; null if there is no file. Only name hashes and offsets are kept in
 * memory. If two lines have the same name, the later one counts. A line that is not a record is reported and skipped.
 */
export async function openShelf(kind: Kind, path: string, onBadLine: OnBadLine): Promise<Shelf | null> {
  const file = await openIfThere(path)
  if (!file) return null
  const catalogue: Catalogue = { index: createNameIndex(), offsets: [], lengths: [] }
  for await (const line of readLines(file, maxLineBytes)) {
    const bad = enter(catalogue, kind, line)
    if (bad) onBadLine({ file: path, number: line.number, ...bad })
  }
  return {
    count: catalogue.offsets.length,
    find: (identifier) => find(catalogue, file, identifier),
    match: (input) => match(catalogue, file, kind, input),
    close: () => file.close(),
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Adds a line to the catalogue. Returns why it is not a record, or which of its fields cannot be read. */
function enter(
  { index, offsets, lengths }: Catalogue,
  kind: Kind,
  { bytes, offset }: Line,
): { reason: string; fields?: readonly string[] } | null {
  if (!bytes) return { reason: `is longer than ${maxLineBytes} bytes` }
  if (isBlank(bytes)) return null
  try {
    const { record, identity, unread = [] } = projectContract('the directory', kind, bytes)
    if (identity.aliases.length === 0) return { reason: 'names nobody: it has neither an id nor a slug' }
    for (const name of [...namesOf(record, identity), ...heldNames(record)]) index.add(name, offsets.length)
    offsets.push(offset)
    lengths.push(bytes.length)
    return unread.length > 0 ? { reason: 'has fields that cannot be read', fields: unread } : null
  } catch (error) {
    if (error instanceof ProviderFault) return { reason: error.message }
    throw error
  }
}

async function find(
  { index, offsets, lengths }: Catalogue,
  file: FileHandle,
  identifier: Identifier,
): Promise<Uint8Array | null> {
  for (const wanted of namesWanted(identifier)) {
    for (const row of index.candidates(wanted)) {
      const line = await readRow({ offsets, lengths }, file, row)
      const { record, identity } = projectContract('directory', identifier.kind, line)
      if (namesOf(record, identity).includes(wanted)) return line
    }
  }
  return null
}

async function readRow(
  { offsets, lengths }: Pick<Catalogue, 'offsets' | 'lengths'>,
  file: FileHandle,
  row: number,
): Promise<Uint8Array> {
  const line = new Uint8Array(lengths[row] ?? 0)
  await file.read(line, 0, line.length, offsets[row] ?? 0)
  return line
}

async function match(catalogue: Catalogue, file: FileHandle, kind: Kind, input: MatchInput): Promise<Matched> {
  for (const { wanted, agreed, fits } of questionsOf(kind, input)) {
    // If two lines are about one subject, the later one counts: rows come last added first.
    const lines = new Map<string, Uint8Array>()
    for (const row of catalogue.index.candidates(wanted)) {
      const line = await readRow(catalogue, file, row)
      const { record, identity } = projectContract('directory', kind, line)
      if (!lines.has(identity.key) && heldNames(record).includes(wanted) && fits(record)) lines.set(identity.key, line)
    }
    if (lines.size > 0) return { lines: [...lines.values()], agreed }
  }
  return { lines: [], agreed: {} }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 1_000 && bytes.toString('latin1').trim() === ''
}

/** The keys of every name by which a record of the directory can be requested. */
function namesOf(record: Person | Company, identity: Identity): string[] {
  const kind = 'company_id' in record ? 'companies' : 'people'
  const own =
    'company_id' in record
      ? { type: 'id', value: record.company_id ?? '' }
      : { type: 'member', value: /:(\d+)$/.exec(record.member_urn)?.[1] ?? '' }
  const names = [...identity.aliases, ...(own.value === '' ? [] : [own])]
  return [...new Set(names.map((name) => identifierKey({ ...name, kind })))]
}

/** The names that an identifier may stand for, likeliest first: digits may be a person's slug or a member number. */
function namesWanted({ kind, type, value }: Identifier): string[] {
  const isNumber = kind === 'people' && type === 'slug' && /^\d+$/.test(value)
  const types = isNumber ? ['slug', 'member'] : [type]
  return types.map((one) => identifierKey({ kind, type: one, value }))
}

interface Line {
  /** Counted from 1, as in editors. */
  number: number
  offset: number
  /** Without the line break; null if the line exceeds the limit. */
  bytes: Buffer | null
}

const newline = 0x0a
const chunkBytes = 256 * 1024

/** Reads the lines of a file of any size, holding at most one line and one chunk in memory. */
async function* readLines(file: FileHandle, maxLineBytes: number): AsyncGenerator<Line> {
  let held = Buffer.alloc(0)
  let offset = 0
  let number = 0
  /** The number of discarded bytes of a line that is too long. */
  let dropped = 0
  const lineOf = (bytes: Buffer): Line => {
    const isTooLong = dropped + bytes.length > maxLineBytes
    const line = { number: ++number, offset, bytes: isTooLong ? null : withoutReturn(bytes) }
    offset += dropped + bytes.length + 1
    dropped = 0
    return line
  }

  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) break
    position += bytesRead
    const chunk = buffer.subarray(0, bytesRead)
    const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
    let start = 0
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      yield lineOf(data.subarray(start, end))
      start = end + 1
    }
    held = data.subarray(start)
    if (held.length > maxLineBytes) {
      dropped += held.length
      held = held.subarray(0, 0)
    }
  }
  if (held.length + dropped > 0) yield lineOf(held)
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes
}
