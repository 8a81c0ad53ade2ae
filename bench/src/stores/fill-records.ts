import { personIdentity } from '@vitae/provider'
import type { Engine } from '../../../service/src/app/deps/engine.ts'
import { systemClock } from '../../../service/src/foundation/clock.ts'
import { foldText } from '../../../service/src/foundation/text/fold-text.ts'
import { suppressionHashes } from '../../../service/src/records/suppression/suppression-hash.ts'
import { benchRecord } from './bench-person.ts'

const atOnce = 500
/**
 * The number of concurrent transactions: one batch is generated while another is written, and PostgreSQL writes
 * several.
 */
const transactions = { embedded: 2, postgres: 3 }

/** Writes the first `count` fictional people through the store's own import. */
export async function fillRecords(
  engine: Engine,
  count: number,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  let next = 0
  let done = 0
  const work = async () => {
    while (next < count) {
      const [from, to] = [next, Math.min(count, next + atOnce)]
      next = to
      await importRange(engine, from, to)
      done += to - from
      onProgress(done, count)
    }
  }
  await Promise.all(Array.from({ length: transactions[engine.kind] }, work))
}

async function importRange({ store, secret }: Engine, from: number, to: number): Promise<void> {
  const items = Array.from({ length: to - from }, (_, offset) => {
    const { slug, body, parts, name, memberNumber, opaqueId } = benchRecord(from + offset)
    const identity = personIdentity({ slug, memberNumber, opaqueId })
    return {
      kind: 'people' as const,
      provider: 'import',
      projection: 1,
      payload: body,
      identity,
      body,
      parts,
      thin: false,
      sourceUpdatedAt: null,
      fetchedAt: systemClock.now(),
      pages: [],
      texts: { name: foldText(name), words: foldText(name) },
      suppressionHashes: suppressionHashes(secret, 'people', identity, null),
    }
  })
  const results = await store.entities.importRecords({ items, at: systemClock.now() })
  const refused = results.filter((result) => result !== 'saved').length
  if (refused > 0) throw new Error(`${refused} of ${items.length} records were not saved`)
}
