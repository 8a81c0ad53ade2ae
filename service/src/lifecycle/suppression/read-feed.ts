import type { Kind } from '@vitae/contract'
import { Complaints, Failure } from '../../foundation/failure.ts'
import { hashesOf } from './suppressed-ids.ts'

type Deps = Parameters<typeof hashesOf>[0]
type Feed = { kind: Kind; ids: readonly string[]; origin?: string }

/**
 * The hashes of all names of each id. If a line is not an id, the whole list is refused, and every such line is
 * reported.
 */
export async function readIds(deps: Deps, feed: Feed): Promise<string[][]> {
  const { found, errors } = await readFeed(deps, feed)
  const complaints = new Complaints()
  for (const { line, reason } of errors) complaints.add(`ids/${line - 1}`, `Line ${line}: ${reason}`)
  complaints.throwAny('Nothing was changed. ')
  return found
}

/** The hashes of all names of each id. Lines that are not ids are reported by number; the others count. */
export async function readFeed(deps: Deps, { kind, ids, origin = '' }: Feed) {
  const found: string[][] = []
  const errors: { line: number; reason: string }[] = []
  for (const [index, id] of ids.entries()) {
    try {
      found.push(await hashesOf(deps, { kind, id, origin }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ line: index + 1, reason: error.message })
    }
  }
  return { found, errors }
}
