import { expect, test } from 'vitest'
import { openTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { openWatchedService } from '../harness/watched-service.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const patience = 180_000

function expectShed(answer: TestAnswer): void {
  expect(answer.json).toMatchObject({ status: 503, code: 'overloaded' })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
}

/** The calls in progress, from the metrics. */
async function inFlight(service: TestService): Promise<number> {
  return Number(/^vitae_calls_in_flight (\d+)/m.exec((await service.get('/metrics')).text)?.[1])
}

test(
  'calls above the limit of calls in flight are refused before any work, and those inside are served',
  async () => {
    const service = await openTestService({ fixed: { maxInFlight: 5 } })
    await service.upstream.setFault('hang')
    const inside = Array.from({ length: 5 }, (_, index) => service.person(`inside-${index}`))
    await expect.poll(() => inFlight(service)).toBe(5)
    await expect.poll(() => service.upstream.requests.length).toBe(5)

    const outside = await Promise.all(Array.from({ length: 30 }, (_, index) => service.person(`outside-${index}`)))
    await service.upstream.close()
    await service.upstream.setFault(null)
    const served = await Promise.all(inside)
    const after = await service.person('after')

    for (const answer of outside) expectShed(answer)
    expect(service.upstream.requests.some(({ path }) => path.includes('outside'))).toBe(false)
    // Each was retried when the provider came back, or got a 503; none was shed.
    for (const answer of served) expect([200, 503]).toContain(answer.status)
    expect(served.map((answer) => answer.json['code'])).not.toContain('overloaded')
    expect(after.status).toBe(200)
    expect(await service.balance()).toMatchObject({ held: 0 })
  },
  patience,
)

test(
  'a late event loop sheds new calls, and accepts them again when it is on time',
  async () => {
    const service = await openTestService({ fixed: { maxLagMs: 400 } })
    const { balance } = await service.balance()
    const blocked = performance.now() + 3_000
    const calls = Array.from({ length: 10 }, (_, index) => service.person(`late-${index}`))
    while (performance.now() < blocked);

    const late = await Promise.all(calls)
    await expect.poll(async () => (await service.person('on-time')).status).toBe(200)

    const shed = late.filter((answer) => answer.status === 503)
    expect(shed.length).toBeGreaterThan(0)
    for (const answer of shed) expectShed(answer)
    expect((await service.balance()).balance).toBe(balance - late.filter(({ status }) => status === 200).length - 1)
  },
  patience,
)

test(
  'at ten times the capacity there are only 200, 429 and 503, memory stays bounded, and within 5 s service is normal',
  async () => {
    const service = await openWatchedService({ LOG_LEVEL: 'info', VITAE_RATE_LIMIT: '1000000/60s' }, [], [], {
      maxInFlight: 20,
      maxLagMs: 100,
    })
    const { key } = await service.makeKey()
    const { key: limited } = await service.makeKey({ rate: '50/60s' })
    service.upstream.latencyMs = 50
    const statuses = new Map<number, number>()
    const before = await service.balance()
    const until = performance.now() + (long ? 30_000 : 1_500)
    const call = async (id: string, ApiKey: string) => {
      const response = await fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey } })
      await response.arrayBuffer()
      return response.status
    }
    const client = async (index: number) => {
      for (let turn = 0; performance.now() < until; turn++) {
        const status = await call(`flood-${index}-${turn}`, index % 10 === 0 ? limited : key)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const memory = await residentBytes(service.url)

    await Promise.all(Array.from({ length: 200 }, (_, index) => client(index)))
    const since = performance.now()
    await expect.poll(() => call('calm', key), { timeout: 300_000, interval: 50 }).toBe(200)
    const recoveredMs = performance.now() - since
    const grownMb = ((await residentBytes(service.url)) - memory) / 1_048_576

    console.log(
      `overload: ${JSON.stringify([...statuses])}, grown by ${Math.round(grownMb)} MB, well again after ${Math.round(recoveredMs)} ms`,
    )
    expect([...statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
    expect(statuses.get(503)).toBeGreaterThan(0)
    expect(statuses.get(200)).toBeGreaterThan(0)
    expect(recoveredMs).toBeLessThan(15_000)
    expect(grownMb).toBeLessThan(300)
    expect(await service.balance()).toBe(before - (statuses.get(200) ?? 0) - 1)
  },
  patience,
)

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}
