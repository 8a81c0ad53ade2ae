import { callerOperation } from './openapi-callers.ts'
import type { Json } from './openapi-schemas.ts'
import { Watch, WatchList, WatchListQuery, WatchPath, WatchRemoved, WatchRequest } from './watches.ts'

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

/** Records that are looked at again and again, so that the environment hears of their changes. */
export function watchPaths(): Json {
  const create = callerOperation({
    operationId: 'createWatch',
    tag: 'Watches',
    summary: 'Watch a record',
    description:
      'Making it is free; each due look is a lookup that this key pays for, the first one at once unless the environment has just paid for the record. Changes arrive as events. Answers 200 instead of 201 where the environment watches the record already. Either `id` or `match`: a `match` is made and billed as `POST /v1/people/match` or `/v1/companies/match` is, counts as the first look, and its record is watched from then on; nothing of it is kept with the watch. Then `Idempotency-Key` and `X-Spend-Tag` are read, and the answer says how sure the match is.',
    reads: ['IdempotencyKey', 'SpendTag', 'CacheControl'],
    says: ['X-Match-Likelihood', 'X-Matched-On', 'X-Credits-Charged', 'Idempotent-Replayed', 'X-Spend-Tag-Counted-As'],
    body: { 'application/json': WatchRequest },
    bodyExample: { kind: 'people', id: 'ilse-varga-lindqvist', every_days: 7 },
    answer: { 'application/json': Watch },
    example,
    status: 201,
  })
  const responses = create['responses'] as Json
  return {
    '/v1/watches': {
      post: { ...create, responses: { 200: responses[201], ...responses } },
      get: callerOperation({
        operationId: 'listWatches',
        tag: 'Watches',
        summary: 'The watches of the environment',
        description: 'Those of the endpoints that the key may use. Free. A page at a time.',
        query: WatchListQuery,
        answer: { 'application/json': WatchList },
        example: { watches: [example], next: null },
      }),
    },
    '/v1/watches/{id}': {
      delete: callerOperation({
        operationId: 'deleteWatch',
        tag: 'Watches',
        summary: 'End a watch',
        description: 'Free. A watch of another environment is 404.',
        path: WatchPath,
        answer: { 'application/json': WatchRemoved },
        example: { id: example.id, deleted: true },
      }),
    },
  }
}
