import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../simulation/world/random.ts'

const sector = 512
const walHeader = 32

/**
 * Tears the writes to the write-ahead log between two moments, as a disk with unfinished writes might. They are cut off
 * anywhere, or single sectors are missing, or one has other bytes. Changes the later folder, and keeps everything
 * written by the earlier moment. False if there is nothing to tear, or if the log was copied into the database in
 * between.
 */
export function tearLog(earlier: string, later: string, random: Random): boolean {
  const name = 'vitae.db-wal'
  if (!existsSync(join(earlier, name)) || !existsSync(join(later, name))) return false
  const before = readFileSync(join(earlier, name))
  const after = readFileSync(join(later, name))
  const [from, to] = difference(before, after)
  const isCopied = !readFileSync(join(earlier, 'vitae.db')).equals(readFileSync(join(later, 'vitae.db')))
  if (isCopied || (before.length > 0 && from < walHeader) || to <= from) return false
  writeFileSync(join(later, name), torn(before, after, from, to, random))
  return true
}

/** The start and end of the difference between two contents. */
function difference(before: Buffer, after: Buffer): [from: number, to: number] {
  const length = Math.max(before.length, after.length)
  let from = 0
  while (from < length && before[from] === after[from]) from++
  let to = length
  while (to > from && before[to - 1] === after[to - 1]) to--
  return [from, to]
}

function torn(before: Buffer, after: Buffer, from: number, to: number, random: Random): Buffer {
  const at = from + random.below(to - from)
  const bytes = Buffer.from(after)
  const take = (begin: number, end: number) => {
    bytes.fill(0, begin, end)
    before.subarray(begin, end).copy(bytes, begin)
  }
  switch (random.pick(['cut', 'sectors', 'garbage'])) {
    case 'cut':
      take(at, to)
      return before.length > at ? bytes : bytes.subarray(0, at)
    case 'sectors':
      for (let begin = from; begin < to; begin = nextSector(begin))
        if (random.chance(0.5)) take(begin, Math.min(nextSector(begin), to))
      return bytes
    default:
      for (let index = at; index < Math.min(nextSector(at), to); index++) bytes[index] = random.below(256)
      take(Math.min(nextSector(at), to), to)
      return bytes
  }
}

const nextSector = (at: number) => at - (at % sector) + sector
