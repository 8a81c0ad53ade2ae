import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  effectiveMaxAgeMs,
  planFreshness,
  wantsFresh,
  type FreshnessAsk,
  type FreshnessPlan,
  type FreshnessRules,
  type KnownState,
} from '../../src/lookup/asked/freshness.ts'
import { ageOf } from '../../src/foundation/clock.ts'
import { ages, cellOf, rules, table, type Cell } from './freshness-table.ts'

const day = 86_400_000
const plainAsk: FreshnessAsk = { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false }

/** The effect of the three switches that are not in the table. */
function planOf(cell: Cell, { onlyStored, refuseStale, cooling }: FreshnessAsk & KnownState): FreshnessPlan {
  if (cell === 'S') return { action: 'serve', source: 'store' }
  if (cell === 'M') return { action: 'fail', code: 'not_found' }
  if (onlyStored) return { action: 'fail', code: 'not_stored' }
  const mayFallBack = cell === 'F' && !refuseStale
  return mayFallBack && cooling ? { action: 'serve', source: 'stale_fallback' } : { action: 'fetch', mayFallBack }
}

const switches = [true, false]
const cases = table.flatMap((row) =>
  ages.flatMap((age, column) =>
    switches.map((bypassCache) => ({
      known: row.known,
      age: age ?? 'absent',
      bypassCache,
      cell: cellOf(row, column, bypassCache),
      state: row.state,
      maxAgeDays: age === null ? null : Number(age),
    })),
  ),
)

describe('the decision table', () => {
  test.each(cases)('$known, max_age_days $age, bypass_cache=$bypassCache: $cell', (each) => {
    const { state, maxAgeDays, bypassCache, cell } = each
    for (const onlyStored of switches)
      for (const refuseStale of switches)
        for (const cooling of switches) {
          const ask = { maxAgeDays, bypassCache, onlyStored, refuseStale }
          const known = { ...state, cooling }
          expect({ ask, known, plan: planFreshness(ask, known, rules) }).toEqual({
            ask,
            known,
            plan: planOf(cell, { ...ask, ...known }),
          })
        }
  })
})

const anyAge = fc.option(fc.integer({ min: 0, max: 60 * day }))
const anyAsk: fc.Arbitrary<FreshnessAsk> = fc.record({
  maxAgeDays: fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 10_000, noNaN: true }))),
  bypassCache: fc.boolean(),
  onlyStored: fc.boolean(),
  refuseStale: fc.boolean(),
})
const anyKnown: fc.Arbitrary<KnownState> = fc.record({
  copyAgeMs: anyAge,
  notFoundAgeMs: anyAge,
  cooling: fc.boolean(),
})
const anyRules: fc.Arbitrary<FreshnessRules> = fc.record({
  capMs: fc.integer({ min: 0, max: 40 * day }),
  defaultMs: fc.integer({ min: 0, max: 40 * day }),
  staleMaxMs: fc.integer({ min: 0, max: 60 * day }),
  notFoundMs: fc.integer({ min: 0, max: day }),
})

describe('for any request, state and configuration', () => {
  const expectAlways = (law: (ask: FreshnessAsk, known: KnownState, limits: FreshnessRules) => void) =>
    fc.assert(fc.property(anyAsk, anyKnown, anyRules, law), { numRuns: 5_000 })

  test('nothing stored is ever served to a bypassing call', () => {
    expectAlways((ask, known, limits) => {
      const plan = planFreshness({ ...ask, bypassCache: true }, known, limits)
      expect(plan).toEqual(
        ask.onlyStored ? { action: 'fail', code: 'not_stored' } : { action: 'fetch', mayFallBack: false },
      )
    })
  })

  test('a copy older than the cap is never served as `store`, and one beyond the stale limit never as a fallback', () => {
    expectAlways((ask, known, limits) => {
      const plan = planFreshness(ask, known, limits)
      const age = known.copyAgeMs ?? Infinity
      if (plan.action === 'serve' && plan.source === 'store') expect(age).toBeLessThanOrEqual(limits.capMs)
      if (plan.action === 'serve' && plan.source === 'stale_fallback')
        expect(age).toBeLessThanOrEqual(limits.staleMaxMs)
      if (plan.action === 'fetch' && plan.mayFallBack) expect(age).toBeLessThanOrEqual(limits.staleMaxMs)
    })
  })

  test('without a copy nothing is served', () => {
    expectAlways((ask, known, limits) => {
      const plan = planFreshness(ask, { ...known, copyAgeMs: null }, limits)
      expect(plan.action).not.toBe('serve')
      if (plan.action === 'fetch') expect(plan.mayFallBack).toBe(false)
    })
  })

  test('only-if-cached never calls upstream, and stale-if-error=0 never gets a stale copy', () => {
    expectAlways((ask, known, limits) => {
      expect(planFreshness({ ...ask, onlyStored: true }, known, limits).action).not.toBe('fetch')
      const strict = planFreshness({ ...ask, refuseStale: true }, known, limits)
      expect(strict).not.toEqual({ action: 'serve', source: 'stale_fallback' })
      expect(strict).not.toMatchObject({ mayFallBack: true })
    })
  })

  test('a younger copy is never worse: it may be served whenever an older one may', () => {
    expectAlways((ask, known, limits) => {
      if (known.copyAgeMs === null) return
      const old = planFreshness(ask, known, limits)
      const young = planFreshness(ask, { ...known, copyAgeMs: Math.floor(known.copyAgeMs / 2) }, limits)
      if (old.action === 'serve' && old.source === 'store') expect(young).toEqual(old)
      if (old.action === 'serve') expect(young.action).toBe('serve')
    })
  })

  test('asking for more than the cap equals asking for the cap', () => {
    expectAlways((ask, known, limits) => {
      // Whole days, because converting days and milliseconds loses fractions.
      const capDays = Math.floor(limits.capMs / day)
      const capped = { ...limits, capMs: capDays * day }
      const beyond = planFreshness({ ...ask, maxAgeDays: capDays + 1 }, known, capped)
      expect(beyond).toEqual(planFreshness({ ...ask, maxAgeDays: capDays }, known, capped))
    })
  })
})

test('the effective age is the requested one, else the default, and never more than the cap', () => {
  const limits = { ...rules, capMs: 5 * day, defaultMs: 2 * day }
  expect(effectiveMaxAgeMs(null, limits)).toBe(2 * day)
  expect(effectiveMaxAgeMs(0, limits)).toBe(0)
  expect(effectiveMaxAgeMs(0.25, limits)).toBe(day / 4)
  expect(effectiveMaxAgeMs(9_999, limits)).toBe(5 * day)
  expect(effectiveMaxAgeMs(null, { ...limits, defaultMs: 9 * day })).toBe(5 * day)
})

test('a provider must skip its own cache exactly if the caller wants fresh data', () => {
  expect(wantsFresh(plainAsk, rules)).toBe(false)
  expect(wantsFresh({ ...plainAsk, maxAgeDays: 0.5 }, rules)).toBe(false)
  expect(wantsFresh({ ...plainAsk, maxAgeDays: 0 }, rules)).toBe(true)
  expect(wantsFresh({ ...plainAsk, bypassCache: true }, rules)).toBe(true)
  expect(wantsFresh({ ...plainAsk, maxAgeDays: 3 }, { ...rules, capMs: 0 })).toBe(true)
})

test('whatever time a clock has written, a copy is served as fresh only as long as allowed', () => {
  const now = 1_000 * day
  const moments = fc.integer({ min: now - 100 * day, max: now + 100 * day })
  fc.assert(
    fc.property(anyAsk, moments, fc.integer({ min: 0, max: 200 * day }), (ask, fetchedAt, laterMs) => {
      const copyAgeMs = ageOf(fetchedAt, now + laterMs)
      const { action } = planFreshness(ask, { copyAgeMs, notFoundAgeMs: null, cooling: false }, rules)
      const ageMs = now + laterMs - fetchedAt
      expect(copyAgeMs === null || copyAgeMs >= 0).toBe(true)
      if (action !== 'serve') return
      expect(ageMs).toBeLessThanOrEqual(effectiveMaxAgeMs(ask.maxAgeDays, rules))
      expect(ageMs).toBeGreaterThanOrEqual(-5 * 60_000)
    }),
  )
})
