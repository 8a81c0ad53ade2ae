import { createHash } from 'node:crypto'
import type { Input } from './input/read-rows.ts'
import type { InputRow } from './input/input-row.ts'

/** The distinct questions of an input: each is a row of a batch, and is paid once. */
export interface Questions {
  /** The place of each question, from 0, in the order of the input. */
  places: ReadonlyMap<string, number>
  /** The places that several rows ask for. */
  repeated: ReadonlySet<number>
  /** The rows that ask nothing. */
  empty: number
  /** A hash of all questions. */
  digest: string
}

/** The question of a row; empty if it asks nothing or cannot be read. */
export function questionOf(row: InputRow, idOf: (row: InputRow) => string): string {
  return row.problem === null ? idOf(row) : ''
}

/** Reads all questions of an input. */
export async function readQuestions(input: Input, idOf: (row: InputRow) => string): Promise<Questions> {
  const places = new Map<string, number>()
  const repeated = new Set<number>()
  const digest = createHash('sha256')
  let empty = 0
  for await (const row of input.rows()) {
    const question = questionOf(row, idOf)
    const known = places.get(question)
    if (question === '') empty++
    else if (known !== undefined) repeated.add(known)
    else {
      places.set(question, places.size)
      digest.update(`${question}\n`)
    }
  }
  return { places, repeated, empty, digest: digest.digest('base64url') }
}
