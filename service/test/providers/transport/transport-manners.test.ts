import { describe, expect, test } from 'vitest'
import { deadUrl, faultOf, get, handClock, never, senderTo, serve, serveRaw } from './faulty-server.ts'

describe('retries', () => {
  test('a broken connection is retried twice', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy())

    const fault = await faultOf(senderTo(server.url).send(get(server.url), never))

    expect(fault.kind).toBe('unavailable')
    expect(server.state.hits).toBe(3)
  })

  test('a 5xx is retried, and the final answer counts', async () => {
    const server = await serve((_request, response, hit) => response.writeHead(hit < 3 ? 502 : 200).end(`try ${hit}`))
    const heard: number[] = []

    const answer = await senderTo(server.url).send(get(server.url), never, {
      heard: ({ status }) => heard.push(status),
    })

    expect(Buffer.from(answer.body).toString()).toBe('try 3')
    expect(heard).toEqual([502, 502, 200])
  })

  test.each([200, 400, 401, 402, 403, 404, 429])('a %i is not retried', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end())

    const answer = await senderTo(server.url).send(get(server.url), never)

    expect(answer.status).toBe(status)
    expect(server.hits).toHaveLength(1)
  })

  test('neither a timeout nor an unusable answer is retried', async () => {
    const hang = await serveRaw(() => {})
    const large = await serve((_request, response) => response.end(Buffer.alloc(5_000)))

    const slow = senderTo(hang.url, {}, { attemptTimeoutMs: 50 })
    const limited = senderTo(large.url, {}, { maxBytes: 1_000 })

    expect((await faultOf(slow.send(get(hang.url), never))).kind).toBe('timeout')
    expect((await faultOf(limited.send(get(large.url), never))).kind).toBe('invalid')
    expect([hang.state.hits, large.hits.length]).toEqual([1, 1])
  })

  test('Retry-After is obeyed if it fits, in seconds and as a date', async () => {
    const clock = handClock()
    const date = new Date(clock.now() + 1_000).toUTCString()
    const cases = [
      { status: 503, wait: '1' },
      { status: 503, wait: date },
      { status: 429, wait: '1' },
    ]
    const pauses = cases.map(async ({ status, wait }) => {
      const times: number[] = []
      const server = await serve((_request, response, hit) => {
        times.push(performance.now())
        response.writeHead(hit === 1 ? status : 200, { 'retry-after': wait }).end()
      })
      const answer = await senderTo(server.url, { clock }, { clock }).send(get(server.url), never)
      expect(answer.status).toBe(200)
      return (times[1] ?? 0) - (times[0] ?? 0)
    })

    for (const pauseMs of await Promise.all(pauses)) expect(pauseMs).toBeGreaterThan(950)
  })

  test('a wait that does not fit into the remaining time is skipped', async () => {
    const server = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'retry-after': '7' }).end()
    })
    const startedAt = performance.now()

    const unavailable = await senderTo(server.url, { totalMs: 2_000 }).send(get(`${server.url}/503`), never)
    const limited = await senderTo(server.url, { totalMs: 60_000 }).send(get(`${server.url}/429`), never)

    expect([unavailable.status, limited.status, server.hits.length]).toEqual([503, 429, 2])
    expect(performance.now() - startedAt).toBeLessThan(6_500)
  })

  test('the limit for the whole call ends retries and waits', async () => {
    const server = await serve((_request, response) => response.writeHead(503, { 'retry-after': '0' }).end())
    const sender = senderTo(server.url, { totalMs: 150, retries: 1_000_000 })

    const end = await sender.send(get(server.url), never).catch((error: unknown) => error)

    expect(end).toMatchObject({ kind: 'timeout' })
  })
})

describe('the breaker', () => {
  /** A server that fails until it is repaired. */
  async function patient() {
    const health = { ok: false }
    const server = await serve((_request, response) => response.writeHead(health.ok ? 200 : 500).end())
    const clock = handClock()
    const sender = senderTo(server.url, { clock, retries: 0, breaker: { failures: 3, openMs: 15_000 } })
    return { ...server, health, clock, sender, send: () => sender.send(get(server.url), never) }
  }

  test('opens after a number of consecutive failures, and then refuses at once with a retry time', async () => {
    const { send, sender, hits, clock } = await patient()
    for (let call = 0; call < 3; call++) await send()
    clock.advance(4_500)

    const fault = await faultOf(send())

    expect(sender.state().breaker).toBe('open')
    expect(fault).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 11 })
    expect(sender.refusal()).toMatchObject({ kind: 'unavailable' })
    expect(hits).toHaveLength(3)
  })

  test('a success in between resets the count', async () => {
    const { send, sender, health } = await patient()
    for (const ok of [false, false, true, false, false]) {
      health.ok = ok
      await send()
    }
    expect(sender.state().breaker).toBe('closed')
  })

  test('lets one call try after its time: success closes it, failure opens it for the same time again', async () => {
    const { send, sender, health, clock, hits } = await patient()
    for (let call = 0; call < 3; call++) await send()
    clock.advance(15_000)
    expect(sender.state().breaker).toBe('half-open')

    await send()
    expect(sender.state().breaker).toBe('open')
    clock.advance(14_999)
    await faultOf(send())
    expect(hits).toHaveLength(4)

    clock.advance(1)
    health.ok = true
    const [tried, ...others] = await Promise.allSettled([send(), send(), send()])
    expect(tried.status).toBe('fulfilled')
    expect(others.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(sender.state().breaker).toBe('closed')
    expect((await send()).status).toBe(200)
  })

  test('counts calls, not attempts, and ignores a call whose caller left', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/fail') response.writeHead(500).end()
    })
    const sender = senderTo(server.url, { breaker: { failures: 2, openMs: 1_000 } })

    await sender.send(get(`${server.url}/fail`), never)
    expect(server.hits).toHaveLength(3)
    for (let call = 0; call < 5; call++) {
      const caller = new AbortController()
      const sent = sender.send(get(`${server.url}/hang`), caller.signal)
      caller.abort(new Error('left'))
      await expect(sent).rejects.toThrow('left')
    }
    expect(sender.state().breaker).toBe('closed')
    await sender.send(get(`${server.url}/fail`), never)
    expect(sender.state().breaker).toBe('open')
  })

  test.each([400, 401, 402, 403, 404, 429, 302])('treats a %i as a sign of a working provider', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end())
    const sender = senderTo(server.url, { breaker: { failures: 1, openMs: 1_000 } })

    await sender.send(get(server.url), never).catch(() => null)

    expect(sender.state().breaker).toBe('closed')
  })

  test('counts a refused connection and a timeout', async () => {
    const hang = await serveRaw(() => {})
    for (const url of [await deadUrl(), hang.url]) {
      const sender = senderTo(url, { breaker: { failures: 1, openMs: 1_000 } }, { attemptTimeoutMs: 50 })
      await faultOf(sender.send(get(url), never))
      expect(sender.state().breaker).toBe('open')
      expect(sender.state().lastFault).not.toBeNull()
    }
  })

  test('counts an external time limit against the provider that was too slow for it', async () => {
    const hang = await serveRaw(() => {})
    const sender = senderTo(hang.url, { totalMs: 50, breaker: { failures: 1, openMs: 1_000 } })

    await faultOf(sender.send(get(hang.url), never))

    expect(sender.state().breaker).toBe('open')
  })
})

describe('the bulkhead', () => {
  test('limits running and waiting calls; all admitted ones are answered', async () => {
    const waiting: (() => void)[] = []
    let most = 0
    const server = await serve((_request, response) => {
      waiting.push(() => response.end('ok'))
      most = Math.max(most, waiting.length)
      if (waiting.length === 2) setImmediate(() => waiting.splice(0).forEach((answer) => answer()))
    })
    const sender = senderTo(server.url, { concurrency: 2, queue: 8 })

    const sent = Array.from({ length: 8 }, () => sender.send(get(server.url), never))
    expect(sender.state()).toMatchObject({ inFlight: 2, queued: 4 })
    expect(sender.refusal()?.message).toContain('too many calls')
    const ends = await Promise.allSettled(sent)

    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, true, true, false, false])
    expect(await faultOf(sent[7] ?? Promise.resolve())).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 })
    expect(most).toBe(2)
    expect(sender.state()).toMatchObject({ inFlight: 0, queued: 0, breaker: 'closed' })
  })

  test('lets a waiting caller leave the queue at once', async () => {
    const hang = await serveRaw(() => {})
    const sender = senderTo(hang.url, { concurrency: 1 })
    const first = new AbortController()
    const second = new AbortController()
    const running = sender.send(get(hang.url), first.signal)
    const queued = sender.send(get(hang.url), second.signal)

    second.abort(new Error('left the queue'))
    await expect(queued).rejects.toThrow('left the queue')
    first.abort(new Error('left the call'))
    await expect(running).rejects.toThrow('left the call')
  })
})
