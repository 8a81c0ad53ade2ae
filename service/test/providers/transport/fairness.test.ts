import { describe, expect, test } from 'vitest'
import { faultOf, get, handClock, never, senderTo, serve } from './faulty-server.ts'

/** A provider for which `/hang` never answers, `/fail` fails and everything else answers at once. */
function someProvider() {
  return serve(({ url }, response) => {
    if (url === '/hang') return
    response.writeHead(url === '/fail' ? 500 : 200).end()
  })
}

const greedy = { environmentId: 1 }
const other = { environmentId: 2 }

describe('slots', () => {
  test('one environment whose calls hang does not delay another', async () => {
    const { url } = await someProvider()
    const sender = senderTo(url, { concurrency: 8, totalMs: 60_000 }, { attemptTimeoutMs: 60_000 })
    const left = new AbortController()
    const hanging = Array.from({ length: 100 }, () => sender.send(get(`${url}/hang`), left.signal, greedy))

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sender.send(get(`${url}/ada`), AbortSignal.timeout(20_000), other)),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(sender.state().queued).toBeGreaterThan(80)
    left.abort()
    await Promise.allSettled(hanging)
    expect(sender.state()).toMatchObject({ inFlight: 0, queued: 0 })
  })

  test('one environment that fills its part of the queue does not refuse another', async () => {
    const { url } = await someProvider()
    const sender = senderTo(url, { concurrency: 4, queue: 10, totalMs: 60_000 }, { attemptTimeoutMs: 60_000 })
    const left = new AbortController()
    const hanging = Array.from({ length: 50 }, () => sender.send(get(`${url}/hang`), left.signal, greedy))
    const ends = Promise.allSettled(hanging)

    expect(sender.refusal(1)).toMatchObject({ kind: 'unavailable' })
    expect(sender.refusal(2)).toBeNull()
    expect((await sender.send(get(`${url}/ada`), never, other)).status).toBe(200)
    left.abort()
    expect((await ends).length).toBe(50)
  })
})

describe('the breaker', () => {
  const settings = () => ({ retries: 0, breaker: { failures: 3, openMs: 15_000 }, clock: handClock() })

  test('closes the provider to the environment whose calls fail, and to no other', async () => {
    const { url } = await someProvider()
    const sender = senderTo(url, settings())
    for (let call = 0; call < 30; call++) await sender.send(get(`${url}/fail`), never, greedy).catch(() => null)

    expect(await faultOf(sender.send(get(`${url}/ada`), never, greedy))).toMatchObject({ retryAfterSeconds: 15 })
    for (let call = 0; call < 30; call++) {
      expect((await sender.send(get(`${url}/ada`), never, other)).status).toBe(200)
    }
  })

  test('closes the provider to all once it fails for most of several environments, and one success opens it again', async () => {
    const { url } = await someProvider()
    const set = settings()
    const sender = senderTo(url, set)
    for (const environmentId of [1, 2]) {
      for (let call = 0; call < 3; call++) await sender.send(get(`${url}/fail`), never, { environmentId })
    }

    expect(sender.state().breaker).toBe('open')
    expect(await faultOf(sender.send(get(`${url}/ada`), never, { environmentId: 3 }))).toMatchObject({
      kind: 'unavailable',
    })
    set.clock.advance(15_000)
    expect((await sender.send(get(`${url}/ada`), never, { environmentId: 3 })).status).toBe(200)
    expect([1, 2, 3].map((id) => sender.refusal(id))).toEqual([null, null, null])
    expect(sender.state().breaker).toBe('closed')
  })
})
