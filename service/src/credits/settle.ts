import type { Database, Tx } from '../foundation/database/dialect.ts'
import { decide } from './decide.ts'
import { standingOf } from './judge.ts'
import { readBooks } from './read-books.ts'
import type { Decision, SettleRequest, Verdict } from './requests.ts'
import { padded } from './rows.ts'
import { writeBooks } from './write-books.ts'

export interface SettleArgs {
  requests: SettleRequest[]
  /** The answer of a first attempt was lost, perhaps after its commit: what it settled is found and not settled twice. */
  retry?: boolean
}

/** Settles a batch in one transaction; all of it is durable when this returns. A refused request hinders no other. */
export async function settle({ db, dialect }: Database, { requests, retry }: SettleArgs): Promise<Decision[]> {
  if (requests.length === 0) return []
  return db.transaction().execute(async (tx) => {
    const before = await readBooks(tx, dialect, requests)
    // Read after the locks: a first attempt that is still committing holds them.
    const settled = retry ? await findSettled(tx, requests) : new Map<string, Verdict>()
    const open = requests.filter((request) => !isSettled(settled, request))
    const after = decide(before, open)
    await writeBooks(tx, dialect, before, after)

    const decisions = after.decisions.values()
    return requests.map((request) => {
      const verdict = isSettled(settled, request)
      const decision = verdict ? { ...verdict, ...standingOf(after.books, request) } : decisions.next().value
      if (!decision) throw new Error(`no decision on request ${request.requestId}`)
      return decision
    })
  })
}

/** Only payments leave a receipt; a hold, a release and a check may be repeated as they are. */
function isSettled(settled: ReadonlyMap<string, Verdict>, { type, requestId }: SettleRequest): Verdict | undefined {
  return type === 'charge' || type === 'capture' ? settled.get(requestId) : undefined
}

async function findSettled(tx: Tx, requests: readonly SettleRequest[]): Promise<Map<string, Verdict>> {
  const rows = await tx
    .selectFrom('calls')
    .select(['request_id', 'credits', 'replay_of', 'version_id', 'source'])
    .where('request_id', 'in', padded(requests.map((request) => request.requestId)))
    .where('status', '=', 200)
    .execute()
  return new Map(
    rows.map((row): [string, Verdict] => {
      if (row.replay_of === null) return [row.request_id, { outcome: 'settled', charged: row.credits }]
      const source = row.source === 'stale_fallback' ? 'stale_fallback' : 'store'
      return [row.request_id, { outcome: 'replay', requestId: row.replay_of, versionId: row.version_id, source }]
    }),
  )
}
