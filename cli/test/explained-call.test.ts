import type { ExplainedCall } from '@vitae/contract/admin'
import { expect, test } from 'vitest'
import { explainedCall } from '../src/commands/accounts/explained-call.ts'

const call: ExplainedCall = {
  request_id: 'r1',
  at: '2026-11-14T09:30:00.000Z',
  project: 'acme',
  environment: 'production',
  key: { id: 'key_1', display: 'vt_live_ab…yz', label: 'backend' },
  mode: 'live',
  kind: 'people',
  identifier: 'ada-example',
  identifier_type: 'slug',
  entity_key: null,
  status: 503,
  code: 'upstream_unavailable',
  source: null,
  replay_of: null,
  reason: 'No provider could be reached. mirror failed: connection refused; harvestapi failed: HTTP 503.',
  tag: null,
  options: null,
  is_explained: true,
  freshness: {
    decision: 'fetch',
    reason: 'nothing is stored under this identifier',
    copy_age_seconds: null,
    max_age_seconds: null,
  },
  currency: 'USD',
  attempts: [
    {
      provider: 'mirror',
      outcome: 'unavailable',
      status: null,
      cause: 'connection refused',
      cost: 0,
      duration_ms: 3.1,
    },
    { provider: 'harvestapi', outcome: 'unavailable', status: 503, cause: 'HTTP 503', cost: 0.2, duration_ms: 12 },
  ],
  cause: null,
  fetched_by: null,
  suppressed: null,
  settlement: { outcome: 'released', held: 1, charged: 0, entries: [] },
  timings_ms: { authorize: 0, recall: 0.4, hold: 1, fetch: 15.2, save: null, capture: null, release: null, total: 18 },
}

test('a call is shown with everything that explains it, and without empty parts', () => {
  expect(explainedCall(call, { price_lines: [{ line: 'people', credits: 1 }] }).split('\n')).toEqual([
    'request    r1',
    'at         2026-11-14T09:30:00.000Z',
    'caller     acme/production, live key backend (key_1)',
    'asked for  people slug ada-example',
    'answer     503 upstream_unavailable',
    'reason     No provider could be reached. mirror failed: connection refused; harvestapi failed: HTTP 503.',
    'freshness  fetch: nothing is stored under this identifier',
    'cost       0.2 USD',
    'credits    released; held 1, charged 0',
    'price      people, 1 credits',
    'time       authorize 0 ms, recall 0.4 ms, hold 1 ms, fetch 15.2 ms, total 18 ms',
    '',
    'PROVIDER    OUTCOME      STATUS  CAUSE               COST  DURATION_MS',
    'mirror      unavailable  -       connection refused  0     3.1',
    'harvestapi  unavailable  503     HTTP 503            0.2   12',
  ])
  const erased = explainedCall({ ...call, identifier: null, identifier_type: null, attempts: [] }, { price_lines: [] })
  expect(erased).toContain('asked for  people, identifier not kept')
  expect(erased).not.toContain('PROVIDER')
})
