import { Readable } from 'node:stream'
import { isoTime } from '../../../foundation/clock.ts'
import { goneOf } from '../../../lifecycle/erasure/rewrites.ts'
import { suppressedIds } from '../../../lifecycle/suppression/suppressed-ids.ts'
import type { SuppressionPage } from '../../../records/suppression/suppressions.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { noteAccess } from '../../../operators/find-record.ts'
import { readTimeIfGiven } from '../route/read-time.ts'
import { given } from '../../../foundation/schema/given.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import { hashing } from './change-suppressions-routes.ts'
import { Suppression } from '@vitae/contract/admin'
import { encode } from '../../../foundation/schema/encode.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** The suppression list. It holds only keyed hashes: it can check an id, but cannot list ids. */
export const suppressionHandlers = {
  async listSuppressions({ query: { limit = 100, cursor, since: text, kind, origin, order } }, { store, clock }) {
    const wanted = { ...sinceOf(clock, text), ...given({ kind, origin, order }) }
    const page = await store.suppressions.listSuppressions({ ...wanted, limit, cursor: readCursor(cursor) })
    return { suppressions: page.items, next_cursor: cursorText(page.next) }
  },

  async exportSuppressions({ query, reply }, { store, clock }) {
    const lines = exportedLines(store, sinceOf(clock, query.since))
    return reply.type('application/x-ndjson').send(Readable.from(lines))
  },

  async listErasures({ query: { limit = 1_000, cursor, since: text } }, { store, clock, rewriteAtMs }) {
    const page = await store.suppressions.listSuppressions({
      ...sinceOf(clock, text),
      limit,
      cursor: readCursor(cursor),
    })
    const rewrites = await store.residue.rewritesOf({ hashes: page.items.map(({ hash }) => hash) })
    const rewriteOf = new Map(rewrites.map((rewrite) => [rewrite.hash, rewrite]))
    const erasures = page.items
      .filter((item) => item.origin === 'erasure')
      .map(({ hash, kind, createdAt }) => {
        const { by, at } = goneOf(rewriteOf.get(hash), createdAt, rewriteAtMs)
        return { hash, kind, erasedAt: createdAt, bytesGoneBy: isoTime(by), bytesGoneAt: at }
      })
    return { erasures, next_cursor: cursorText(page.next) }
  },

  async checkSuppressions({ admin, body: { kind, ids } }, deps) {
    const suppressed = await suppressedIds(hashing(deps), kind, ids)
    await noteAccess(deps, admin, 'suppressions.check', null, { asked: ids.length, suppressed: suppressed.length })
    return { suppressed }
  },
} satisfies Partial<AdminHandlers>

/** Reads the list page by page, so its length does not matter. */
async function* exportedLines(store: AppDeps['store'], wanted: { since?: number }): AsyncGenerator<string> {
  let cursor: SuppressionPage['next'] = null
  do {
    const page: SuppressionPage = await store.suppressions.exportSuppressions({ ...wanted, limit: 1_000, cursor })
    yield page.items.map((item) => `${JSON.stringify(encode(Suppression, item))}\n`).join('')
    cursor = page.next
  } while (cursor !== null)
}

function sinceOf(clock: AppDeps['clock'], text: string | undefined) {
  return given({ since: readTimeIfGiven('since', text, clock.now()) })
}

function cursorText(place: SuppressionPage['next']): string | null {
  return place && `${place.createdAt}_${place.hash}`
}

function readCursor(text: string | undefined): SuppressionPage['next'] {
  if (text === undefined) return null
  const [, createdAt, hash] = /^(\d{1,15})_([\da-f]{64})$/.exec(text) ?? []
  if (createdAt !== undefined && hash !== undefined) return { createdAt: Number(createdAt), hash }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}
