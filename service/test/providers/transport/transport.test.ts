import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { deadUrl, faultOf, get, handClock, key, never, serve, serveRaw, transportTo } from './faulty-server.ts'

describe('one exchange', () => {
  test('returns status, headers, the unmodified bytes and the time of the last one', async () => {
    const clock = handClock(1_000)
    const server = await serve((_request, response) => {
      response.writeHead(418, { 'x-many': ['a', 'b'] }).end(Buffer.from([0, 255, 10]))
    })

    const answer = await transportTo(server.url, { clock })(get(`${server.url}/a?b=c`, { ApiKey: key }), never)

    expect(answer.status).toBe(418)
    expect(answer.headers['x-many']).toBe('a, b')
    expect([...answer.body]).toEqual([0, 255, 10])
    expect(answer.receivedAt).toBe(1_000)
    expect(server.hits[0]?.headers['apikey']).toBe(key)
  })

  test('sends a body with POST', async () => {
    const server = await serve((request, response) => request.pipe(response))

    const answer = await transportTo(server.url)({ ...get(server.url), method: 'POST', body: '{"né":1}' }, never)

    expect(Buffer.from(answer.body).toString()).toBe('{"né":1}')
  })

  test('ignores informational responses', async () => {
    const server = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.writeHead(200, { 'x-from': 'the answer' }).end('{}')
    })

    const answer = await transportTo(server.url)(get(server.url), never)

    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'x-from': 'the answer' })
    expect(answer.headers).not.toHaveProperty('link')
  })

  test('sends nothing for a caller who has already left', async () => {
    const server = await serve((_request, response) => response.end('{}'))

    await expect(transportTo(server.url)(get(server.url), AbortSignal.abort(new Error('left')))).rejects.toThrow('left')

    expect(server.hits).toHaveLength(0)
  })

  test('never exceeds a shorter remaining time', async () => {
    const hang = await serveRaw(() => {})

    expect((await faultOf(transportTo(hang.url)(get(hang.url), never, 50))).kind).toBe('timeout')
  })

  test('decompresses gzip, but never beyond the limit', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(request.url === '/small' ? 1_000 : 5_000_000, 'a')))
    })
    const exchange = transportTo(server.url, { maxBytes: 100_000 })

    expect((await exchange(get(`${server.url}/small`), never)).body.length).toBe(1_000)
    expect((await faultOf(exchange(get(`${server.url}/bomb`), never))).kind).toBe('invalid')
  })

  test('accepts a body of exactly the limit and refuses one more byte, declared or not', async () => {
    const server = await serve((request, response) => {
      const size = Number(request.url?.slice(2))
      if (request.url?.startsWith('/d')) response.writeHead(200, { 'content-length': size })
      response.write(Buffer.alloc(size - 1, 'a'))
      response.end('a')
    })
    const exchange = transportTo(server.url, { maxBytes: 2_048 })

    for (const form of ['/d', '/c']) {
      expect((await exchange(get(`${server.url}${form}2048`), never)).body.length).toBe(2_048)
      expect((await faultOf(exchange(get(`${server.url}${form}2049`), never))).kind).toBe('invalid')
    }
  })

  test('aborts an endless body at the limit', async () => {
    const server = await serve((_request, response) => {
      const pour = () => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return
        response.once('drain', pour)
      }
      pour()
    })

    expect((await faultOf(transportTo(server.url)(get(server.url), never))).kind).toBe('invalid')
  })

  test.each([301, 302, 303, 307, 308, 304])('never follows a %i', async (status) => {
    const target = await serve((_request, response) => response.end('{}'))
    const server = await serve((_request, response) => response.writeHead(status, { location: target.url }).end())

    const fault = await faultOf(transportTo(server.url, { origins: [server.url, target.url] })(get(server.url), never))

    expect(fault.kind).toBe('invalid')
    expect(fault.answer?.status).toBe(status)
    expect(target.hits).toHaveLength(0)
  })

  test('connects only to the configured origins', async () => {
    const server = await serve((_request, response) => response.end('{}'))
    const exchange = transportTo('http://configured.example:8080')
    const port = new URL(server.url).port

    for (const url of [
      server.url,
      `http://configured.example:${port}`,
      'https://configured.example:8080',
      'file:///etc/passwd',
    ]) {
      expect((await faultOf(exchange(get(url), never))).kind).toBe('invalid')
    }
    expect(server.hits).toHaveLength(0)
  })

  test('limits the time from the first packet to the last byte: a hang and a drip both end', async () => {
    const hang = await serveRaw(() => {})
    const drip = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
      const timer = setInterval(() => socket.write('a'), 10)
      socket.on('close', () => clearInterval(timer))
    })

    for (const { url } of [hang, drip]) {
      expect((await faultOf(transportTo(url, { attemptTimeoutMs: 120 })(get(url), never))).kind).toBe('timeout')
    }
  })

  test("ends with the caller's own reason if the caller leaves", async () => {
    const caller = new AbortController()
    const hang = await serveRaw((socket) => {
      socket.on('close', () => closed())
      caller.abort(new Error('left'))
    })
    let closed = () => {}
    const isClosed = new Promise<void>((resolve) => (closed = resolve))

    await expect(transportTo(hang.url)(get(hang.url), caller.signal)).rejects.toThrow('left')
    await isClosed
  })

  test('reports a URL without TLS, name or listener as unavailable', async () => {
    const plain = await serve((_request, response) => response.end('{}'))
    for (const url of [plain.url.replace('http:', 'https:'), 'http://no-such-host.invalid', await deadUrl()]) {
      expect((await faultOf(transportTo(url)(get(url), never))).kind).toBe('unavailable')
    }
  })

  test('puts neither URL nor key into a message', async () => {
    const url = await deadUrl()
    const secretUrl = `${url}/path-token?query=token`

    const fault = await faultOf(transportTo(url)(get(secretUrl, { ApiKey: key }), never))

    const told = `${fault.message} ${fault.stack} ${String(fault.cause)} ${JSON.stringify(fault)}`
    for (const secret of [key, 'token', new URL(url).port]) expect(told).not.toContain(secret)
    expect(fault.message).toContain('mirror')
  })
})
