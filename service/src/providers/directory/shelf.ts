import { open, type FileHandle } from 'node:fs/promises'
import type { Kind } from '@vitae/contract'
import type { Identifier } from '../../foundation/identifier.ts'
import { projectContract } from '../contract-shape/contract-projection.ts'
import { ProviderFault } from '../chain/provider-fault.ts'
import { createNameIndex, type NameIndex } from './name-index.ts'
import { namesOf, namesWanted } from './names.ts'
import { readLines, type Line } from './read-lines.ts'

/** The records of one kind, in one file. */
export interface Shelf {
  count: number
  /** The line of a record as it stands in the file, or null. */
  find(identifier: Identifier): Promise<Uint8Array | null>
  close(): Promise<void>
}

/** Told of a line that is left out, or of the fields of a line that are. */
export type OnBadLine = (line: { file: string; number: number; reason: string; fields?: readonly string[] }) => void

/** Where the lines are. Two arrays of numbers, because a million small objects would weigh as much as the records. */
interface Catalogue {
  index: NameIndex
  offsets: number[]
  lengths: number[]
}

const maxLineBytes = 8 * 1024 * 1024

/**
 * Opens a file of records, one JSON object per line; null when there is none. Only hashes of names and offsets are kept
 * in memory; of two lines with one name the later counts. A line that is no record is reported and left out.
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

/** Takes a line into the catalogue. Says why it is no record, or which of its fields cannot be read. */
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
    for (const name of namesOf(record, identity)) index.add(name, offsets.length)
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
      const line = new Uint8Array(lengths[row] ?? 0)
      await file.read(line, 0, line.length, offsets[row] ?? 0)
      const { record, identity } = projectContract('directory', identifier.kind, line)
      if (namesOf(record, identity).includes(wanted)) return line
    }
  }
  return null
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 1_000 && bytes.toString('latin1').trim() === ''
}
