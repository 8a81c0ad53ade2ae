import { Histogram, Registry } from '@prometheus-io/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallHistogram } from '../../src/app/metrics/metrics.ts'
import { CallTrace, FetchNotes } from '../../src/lookup/asked/call-trace.ts'
import type { EndedCall } from '../../src/lookup/ended-call.ts'

const runs = process.env['VITAE_TEST_LONG'] === '1' ? 5_000 : 300
const name = 'vitae_call_seconds'
const overhead = 'vitae_overhead_seconds'
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

function call(told: Partial<EndedCall> = {}): EndedCall {
  return {
    requestId: 'r1',
    kind: 'people',
    caller: null,
    startedAt: 0,
    durationMs: 0,
    status: 200,
    code: null,
    source: 'store',
    entityId: null,
    replay: null,
    credits: 0,
    trace: null,
    spendTag: null,
    ...told,
  }
}

/** The trace of a call to providers; only their time counts here. */
function waiting(providerMs: number): CallTrace {
  const trace = new CallTrace(
    {
      requestId: 'r1',
      identifier: { kind: 'people', type: 'slug', value: 'ada' },
      freshness: { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false },
      include: { contact: false, network: false, verifications: false },
      idempotencyKey: null,
      startedAt: 0,
    },
    0,
  )
  const notes = new FetchNotes('r1')
  trace.fetching(notes)
  const attempt = { provider: 'mirror', outcome: 'found', fault: null, answer: null, cost: null } as const
  notes.answered([{ ...attempt, answers: [], requests: 1, money: null, durationMs: providerMs }])
  // Answered just now, and the fetch started that long ago.
  notes.answeredAt = Infinity
  return trace
}

const durationMs = fc.oneof(
  // Exactly on a bound, and right next to it.
  fc.constantFrom(...bounds.flatMap((bound) => [bound * 1_000, bound * 1_000 - 0.001, bound * 1_000 + 0.001])),
  fc.nat(30_000),
  fc.double({ min: 0, max: 100_000, noNaN: true }),
)
const calls = fc.array(
  fc.record({
    kind: fc.constantFrom('people', 'companies'),
    source: fc.constantFrom(null, 'live', 'store', 'stale_fallback'),
    status: fc.constantFrom(200, 400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503, 504),
    durationMs,
    providerMs: fc.oneof(fc.constant(null), durationMs),
  }),
  { maxLength: 60 },
)

/** The series in a Prometheus text. Throws if the format is invalid. */
function parse(text: string): Map<string, number> {
  const series = new Map<string, number>()
  const form = /^([a-z_]+(?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})?) ([-+.\de]+)$/
  for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) {
    const [, key, value] = form.exec(line) ?? []
    if (key === undefined || value === undefined || series.has(key)) throw new Error(`not a series, or twice: ${line}`)
    series.set(key, Number(value))
  }
  return series
}

test('the histogram is the same as that of the Prometheus library', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (told) => {
      const registry = new Registry()
      const labelNames = ['endpoint', 'source', 'status'] as const
      const inLibrary = (of: string) =>
        new Histogram({ name: of, help: 'Duration', labelNames, buckets: bounds, registers: [registry] })
      const [all, own] = [inLibrary(name), inLibrary(overhead)]
      const byHand = new CallHistogram()
      for (const { providerMs, ...each } of told) {
        const { kind, source, status, durationMs } = each
        const labels = { endpoint: kind, source: source ?? 'none', status }
        all.observe(labels, durationMs / 1_000)
        own.observe(labels, Math.max(0, durationMs / 1_000 - (providerMs ?? 0) / 1_000))
        byHand.observe(call({ ...each, trace: providerMs === null ? null : waiting(providerMs) }))
      }

      const expected = parse(await registry.metrics())
      const said = parse(byHand.text())
      expect([...said.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
      for (const [series, value] of expected) {
        if (series.startsWith(`${overhead}_sum`)) expect(said.get(series)).toBeCloseTo(value, 6)
        else expect([series, said.get(series)]).toEqual([series, value])
      }
    }),
    { numRuns: runs },
  )
})

test('each bucket counts all faster calls, the last one all calls, and sum and count match the calls', () => {
  const times = new CallHistogram()
  for (const durationMs of [1, 1, 3, 250, 251, 60_000]) times.observe(call({ durationMs }))
  times.observe(call({ kind: 'companies', source: null, status: 404, durationMs: 7 }))

  const series = parse(times.text())
  const people = 'endpoint="people",source="store",status="200"'
  const within = (bound: number | string) => series.get(`${name}_bucket{le="${bound}",${people}}`)
  expect([...bounds, '+Inf'].map(within)).toEqual([2, 2, 3, 3, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5, 6])
  expect(series.get(`${name}_count{${people}}`)).toBe(6)
  expect(series.get(`${name}_sum{${people}}`)).toBeCloseTo(60.506, 9)
  const companies = 'endpoint="companies",source="none",status="404"'
  expect(series.get(`${name}_bucket{le="0.005",${companies}}`)).toBe(0)
  expect(series.get(`${name}_bucket{le="0.01",${companies}}`)).toBe(1)
  expect(series.get(`${name}_count{${companies}}`)).toBe(1)
  expect(series.size).toBe(2 * 2 * 17)
})

test('the metric is described once, even before the first call, and ends with a newline', () => {
  const head = `# HELP ${name} Duration of lookups\n# TYPE ${name} histogram\n`
  const help = `# HELP ${overhead} Duration of lookups without the time of waiting for providers`
  const times = new CallHistogram()
  expect(times.text()).toBe(`${head}${help}\n# TYPE ${overhead} histogram\n`)
  times.observe(call())
  times.observe(call({ status: 404, source: null }))

  expect(times.text().startsWith(head)).toBe(true)
  expect(times.text().match(/^#/gm)).toHaveLength(4)
  expect(times.text()).toMatch(/[^\n]\n$/)
})
