import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import type { LoadReport, LoadOptions } from './load.ts'
import { benchSlug } from '../stores/bench-slug.ts'

/** One run of autocannon in a separate process, so that it can have its own core. */
const options = JSON.parse(await text(process.stdin)) as LoadOptions & { amount: number }
const { url, keys, ids, connections, amount } = options
const pick = (count: number) => Math.floor(Math.random() * count)

// Measured here, because autocannon reports its duration in whole seconds.
let [firstAt, lastAt] = [NaN, NaN]
const run = autocannon({
  url,
  connections,
  amount,
  requests: [
    {
      setupRequest: (request) => ({
        ...request,
        path: `/v1/people/profile?profile_id=${benchSlug(pick(ids))}`,
        headers: { ...request.headers, ApiKey: keys[pick(keys.length)] ?? '' },
      }),
    },
  ],
})
run.on('start', () => (firstAt = performance.now()))
run.on('response', () => (lastAt = performance.now()))
const result = await run
const ok = result['2xx']
const report: LoadReport = {
  ok,
  notOk: amount - ok,
  requestsPerSecond: ok / ((lastAt - firstAt) / 1_000),
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  busy: null,
}
process.stdout.write(JSON.stringify(report))
