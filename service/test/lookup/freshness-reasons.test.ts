import { expect, test } from 'vitest'
import {
  Cooldowns,
  explainFreshness,
  planFreshness,
  type FreshnessAsk,
  type KnownState,
} from '../../src/lookup/asked/freshness.ts'
import { rules } from './freshness-table.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

function reason(state: Partial<KnownState>, more: Partial<FreshnessAsk> = {}): string {
  const ask = { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false, ...more }
  const known = { copyAgeMs: null, notFoundAgeMs: null, cooling: false, ...state }
  return explainFreshness(planFreshness(ask, known, rules), ask, known, rules)
}

const nothing = 'nothing is stored under this identifier'
const instead = 'if the fetch fails, the stored copy may be served'
const none = 'no stored copy may be served'
const old = { copyAgeMs: 8 * day }
const oldCopy = 'the stored copy is 8 days old, and 7 days are allowed'

test.each([
  [{ copyAgeMs: 2 * day }, {}, 'the stored copy is 2 days old, and 7 days are allowed'],
  [
    { ...old, cooling: true },
    {},
    `${oldCopy}; the provider failed for this record a moment ago and is in cooldown, so the stored copy is served`,
  ],
  [{ notFoundAgeMs: 5 * minute }, {}, 'a provider had no such record 5 minutes ago, and that answer is cached'],
  [old, { onlyStored: true }, `${oldCopy}; the caller allows stored copies only (only-if-cached)`],
  [{}, { onlyStored: true }, `${nothing}; the caller allows stored copies only (only-if-cached)`],
  [old, {}, `${oldCopy}; ${instead}`],
  [{}, {}, `${nothing}; ${none}`],
  [{}, { refuseStale: true }, `${nothing}; ${none}`],
  [old, { bypassCache: true }, `the caller wants no stored copy (bypass_cache); ${none}`],
  [old, { maxAgeDays: 0 }, `the caller wants live data (max_age_days=0); ${instead}`],
  [old, { refuseStale: true }, `${oldCopy}; the caller refuses stale copies (stale-if-error=0)`],
  [
    { copyAgeMs: 31 * day },
    {},
    'the stored copy is 31 days old, and 7 days are allowed; the stored copy is older than VITAE_STALE_MAX_DAYS',
  ],
])('operators see the reason: %j, asked %j', (known, ask, sentence) => {
  expect(reason(known, ask)).toBe(sentence)
})

test.each([
  [0, '0 seconds'],
  [1_550, '1.6 seconds'],
  [minute - 1, '60 seconds'],
  [minute, '1 minutes'],
  [hour, '1 hours'],
  [36 * minute + hour, '1.6 hours'],
  [day, '1 days'],
  [2.25 * day, '2.3 days'],
])('an age of %d ms is shown as %s', (copyAgeMs, shown) => {
  expect(reason({ copyAgeMs })).toBe(`the stored copy is ${shown} old, and 7 days are allowed`)
})

test('a record whose provider failed is not fetched again until its time is over, or until it is answered', () => {
  let now = 1_000
  const clock = { now: () => 0, elapsed: () => now }
  const cooldowns = new Cooldowns(clock, 30)
  const cooling = () => ['ada', 'grace'].filter((name) => cooldowns.isCooling(name))
  expect(cooling()).toEqual([])
  cooldowns.start('ada')
  expect(cooling()).toEqual(['ada'])
  now += 29
  expect(cooling()).toEqual(['ada'])
  now += 1
  expect(cooling()).toEqual([])
  for (const name of ['ada', 'grace']) cooldowns.start(name)
  cooldowns.end('ada')
  expect(cooling()).toEqual(['grace'])
  const never = new Cooldowns(clock, 0)
  never.start('ada')
  expect(never.isCooling('ada')).toBe(false)
})
