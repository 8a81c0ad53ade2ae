import { Watch, WatchList, WatchListQuery, WatchPath, WatchRemoved, WatchRequest } from '../watches.ts'
import { ofMatch, ofPayment } from './failures.ts'
import type { PublicRows } from './row.ts'

const example: Watch = {
  id: 'wat_5f0c2d9be1a74c3388f1a2b4',
  kind: 'people',
  identifier: 'ada-example',
  every_days: 7,
  note: 'champion at Example Works',
  created_at: '2026-11-14T09:30:00.000Z',
  next_due_at: '2026-11-21T09:30:01.000Z',
  last_checked_at: '2026-11-14T09:30:01.000Z',
  last_seen_at: '2026-11-14T09:30:01.000Z',
  last_result: 'live',
  paused: null,
}

/** Records that are refreshed regularly, to notify the environment of changes. */
export const watchOperations = {
  createWatch: {
    route: 'POST /v1/watches',
    tag: 'Watches',
    summary: 'Watch a record',
    description:
      'A watch refreshes a record at regular intervals. Creating a watch is free. Each refresh is a lookup that this key pays for. The first refresh runs at once unless the environment has just paid for the record. Changes arrive as events. The status is 200 instead of 201 if the environment already watches the record. Send either `id` or `match`. A `match` is billed as `POST /v1/people/match` or `/v1/companies/match` and counts as the first refresh; the watch does not store the members of the match. With `match`, the headers `Idempotency-Key` and `X-Spend-Tag` apply, and the response has the likelihood of the match.',
    spends: true,
    body: WatchRequest,
    bodyExample: { kind: 'people', id: 'ilse-varga-lindqvist', every_days: 7 },
    response: Watch,
    example,
    status: 201,
    otherAnswers: { 200: { description: 'The environment already watches the record', example } },
    failures: ['endpoint_not_allowed', ...ofPayment, ...ofMatch, 'conflict'],
    reads: ['Idempotency-Key', 'X-Spend-Tag', 'Cache-Control'],
    says: ['X-Match-Likelihood', 'X-Matched-On', 'X-Credits-Charged', 'Idempotent-Replayed', 'X-Spend-Tag-Counted-As'],
  },
  listWatches: {
    route: 'GET /v1/watches',
    tag: 'Watches',
    summary: 'List the watches of the environment',
    description: 'Lists the watches of the endpoints that the key may use, one page at a time. Free.',
    query: WatchListQuery,
    response: WatchList,
    example: { watches: [example], next: null },
    failures: [],
  },
  deleteWatch: {
    route: 'DELETE /v1/watches/:id',
    tag: 'Watches',
    summary: 'End a watch',
    description: 'Ending a watch is free. A watch of another environment returns 404.',
    params: WatchPath,
    response: WatchRemoved,
    example: { id: example.id, deleted: true },
    failures: ['endpoint_not_allowed', 'not_found'],
  },
} as const satisfies PublicRows
