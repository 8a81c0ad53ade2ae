import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startService, type TestService } from './test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

interface Entered {
  cookie: string
  csrf: string
}

function signIn(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.url}/admin/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  })
}

async function enter(token = service.ownerToken, headers: Record<string, string> = {}): Promise<Entered> {
  const answer = await signIn(token, headers)
  expect(answer.status).toBe(200)
  const { csrf } = (await answer.json()) as { csrf: string }
  return { cookie: cookieOf(answer), csrf }
}

const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''

function call(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> {
  return fetch(`${service.url}/admin/v1${path}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
  })
}

describe('signing in', () => {
  test('sets a cookie that no script and no other site can use', async () => {
    const answer = await signIn(service.ownerToken)

    expect(answer.headers.get('set-cookie')).toMatch(
      /^vitae_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    )
    expect(await answer.json()).toEqual({
      actor: 'owner',
      actor_name: null,
      role: 'owner',
      project: null,
      capabilities: expect.arrayContaining(['createToken', 'grantCredits']),
      csrf: expect.any(String),
    })
  })

  test('off loopback the cookie travels over https only', async () => {
    const { port } = new URL(service.url)
    const cookie = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'vitae.example.com', 'content-type': 'application/json' }
      const sent = request({ host: '127.0.0.1', port, path: '/admin/v1/session', method: 'POST', headers }, (answer) =>
        resolve(String(answer.headers['set-cookie'])),
      )
      sent.on('error', reject).end(JSON.stringify({ token: service.ownerToken }))
    })

    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  })

  test('a wrong token opens nothing and sets no cookie', async () => {
    const answer = await signIn('not-the-token-of-anybody')

    expect(answer.status).toBe(401)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test('a page of another site cannot sign a browser in', async () => {
    const across = await signIn(service.ownerToken, { 'sec-fetch-site': 'cross-site' })
    const asForm = await signIn(service.ownerToken, { 'content-type': 'text/plain' })

    expect(across.status).toBe(403)
    expect(asForm.status).toBeGreaterThanOrEqual(400)
    expect(asForm.headers.get('set-cookie')).toBeNull()
  })

  test('an id that a browser sends is never adopted', async () => {
    const planted = 'vitae_session=planted-by-somebody-else'

    const { cookie } = await enter(service.ownerToken, { cookie: planted })

    expect(cookie).not.toBe(planted)
    expect((await call('GET', '/projects', { cookie: planted })).status).toBe(401)
  })

  test('signing in again ends the previous session', async () => {
    const first = await enter()

    await enter(service.ownerToken, { cookie: first.cookie })

    expect((await call('GET', '/projects', { cookie: first.cookie })).status).toBe(401)
  })

  test('only the exact path and method are open without a session', async () => {
    const others = [call('GET', '/session', {}), call('DELETE', '/session', {}), call('POST', '/nothing-here', {}, {})]

    for (const answer of await Promise.all(others)) expect(answer.status).toBe(401)
  })
})

describe('a session', () => {
  test('without its own CSRF token changes nothing', async () => {
    const { cookie } = await enter()
    const other = await enter()
    const project = { name: 'forged', environments: ['production'] }

    const bare = await call('POST', '/projects', { cookie }, project)
    const foreign = await call('POST', '/projects', { cookie, 'x-csrf-token': other.csrf }, project)
    const signOut = await call('DELETE', '/session', { cookie })

    expect([bare.status, foreign.status, signOut.status]).toEqual([403, 403, 403])
    expect(await bare.json()).toMatchObject({ code: 'csrf_token_required' })
    expect(await (await call('GET', '/projects', { cookie })).text()).not.toContain('forged')
  })

  test('with it may do what its token may do', async () => {
    const { cookie, csrf } = await enter()

    const made = await call('POST', '/projects', { cookie, 'x-csrf-token': csrf }, { name: 'honest' })

    expect(made.status).toBe(201)
  })

  test('ends at the sign-out, on the server too', async () => {
    const { cookie, csrf } = await enter()

    const out = await call('DELETE', '/session', { cookie, 'x-csrf-token': csrf })

    expect(out.headers.get('set-cookie')).toMatch(/^vitae_session=; Path=\/; Max-Age=0;/)
    expect((await call('GET', '/session', { cookie })).status).toBe(401)
  })

  test('expires by itself', async () => {
    const { cookie } = await enter()

    service.setClockOffset(8 * 3_600_000 + 1)

    expect((await call('GET', '/session', { cookie })).status).toBe(401)
    service.setClockOffset(0)
  })

  test('ends with the token that opened it, and never allows more than that token', async () => {
    const made = await service.admin<{ id: string; token: string }>('POST', '/tokens', {
      label: 'eyes',
      role: 'viewer',
    })
    const { cookie, csrf } = await enter(made.token)

    const write = await call('POST', '/projects', { cookie, 'x-csrf-token': csrf }, { name: 'by-a-viewer' })
    const readBefore = await call('GET', '/projects', { cookie })
    await service.admin('POST', `/tokens/${made.id}/revoke`)
    const readAfter = await call('GET', '/projects', { cookie })

    expect([write.status, readBefore.status, readAfter.status]).toEqual([403, 200, 401])
  })
})

describe('without sign-in by token', () => {
  test('the console accepts no token and says so, and the admin API still accepts them', async () => {
    const strict = await startService({ VITAE_TOKEN_SIGN_IN: 'false' })
    onTestFinished(() => strict.close())
    const body = JSON.stringify({ token: strict.ownerToken })
    const headers = { 'content-type': 'application/json' }

    const answer = await fetch(`${strict.url}/admin/v1/session`, { method: 'POST', headers, body })
    const options = await fetch(`${strict.url}/console/sign-in/options`)

    expect(answer.status).toBe(403)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await options.json()).toEqual({ token: false, single_sign_on: null })
    expect(await strict.admin('GET', '/projects')).toHaveProperty('projects')
  })
})

describe('wrong admin tokens', () => {
  const day = 24 * 3_600_000
  const logged: Record<string, unknown>[] = []
  let shared: TestService
  let days = 0
  // A separate service, so that guesses here do not slow down other tests. Each test has its own day.
  beforeAll(async () => {
    shared = service
    service = await startService({}, (line) => logged.push(line))
  })
  afterAll(async () => {
    await service.close()
    service = shared
  })
  beforeEach(() => service.setClockOffset(++days * day))

  const bearer = (token: string, headers: Record<string, string> = {}) =>
    call('GET', '/session', { authorization: `Bearer ${token}`, ...headers })
  const statusesOf = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status)
  const guesses = (count: number) => Array.from({ length: count }, (_, index) => `guess-number-${index}`)

  test('are slowed down after ten from one address, at sign-in and as bearer together, and the right one still works', async () => {
    const signIns = await statusesOf(guesses(8).map((token) => signIn(token)))
    const bearers = await statusesOf(guesses(6).map((token) => bearer(token)))
    const over = await bearer('one-more')
    const seconds = Number(over.headers.get('retry-after'))
    const right = await statusesOf([signIn(service.ownerToken), bearer(service.ownerToken)])
    service.setClockOffset(days * day + seconds * 1_000)
    const later = await bearer('one-more')

    expect(signIns).toEqual(Array(8).fill(401))
    expect(bearers.filter((status) => status === 401)).toHaveLength(2)
    expect([over.status, later.status]).toEqual([429, 401])
    expect(seconds).toBeGreaterThan(0)
    expect(right).toEqual([200, 200])
  })

  test('are in the log and the audit log by address, without a letter of the token, and not once per guess', async () => {
    logged.splice(0)
    await Promise.all(guesses(30).map((token) => bearer(token)))

    const text = JSON.stringify(await service.admin('GET', '/audit?action=session.refuse&limit=1000'))
    const { entries } = JSON.parse(text) as { entries: { at: string; actor: string; after: object }[] }
    const own = entries.filter(({ at }) => Date.parse(at) > Date.now() + (days - 0.5) * day)

    const lines = logged.filter(({ msg }) => msg === 'wrong admin token')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toMatchObject({ address: '127.0.0.1', way: 'bearer', slowed_down: true })
    expect(JSON.stringify(logged)).not.toContain('guess-number')
    expect(own).toHaveLength(11)
    expect(own[0]).toMatchObject({ actor: 'address:127.0.0.1', after: { way: 'bearer', slowed_down: true } })
    expect(text).not.toContain('guess-number')
  })
})

describe('behind a trusted proxy', () => {
  let proxied: TestService
  beforeAll(async () => {
    proxied = await startService({ VITAE_TRUST_PROXY: '127.0.0.1' })
  })
  afterAll(() => proxied.close())
  const signInFrom = (token: string, headers: Record<string, string>) =>
    fetch(`${proxied.url}/admin/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    })

  test('the cookie is Secure if the outside is https, even if the proxy uses a loopback name', async () => {
    const [http, https] = await Promise.all(
      ['http', 'https'].map((scheme) => signInFrom(proxied.ownerToken, { 'x-forwarded-proto': scheme })),
    )

    expect(http?.headers.get('set-cookie')).not.toContain('Secure')
    expect(https?.headers.get('set-cookie')).toContain('; Secure')
  })

  test('the cookie is Secure if the public URL is https, whatever the proxy says', async () => {
    const outside = await startService({ VITAE_PUBLIC_URL: 'https://vitae.example' })
    onTestFinished(() => outside.close())
    const answer = await fetch(`${outside.url}/admin/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: outside.ownerToken }),
    })

    expect(answer.headers.get('set-cookie')).toContain('; Secure')
  })

  test('wrong tokens from one address slow down no other address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await Promise.all(Array.from({ length: 10 }, () => signInFrom('a-guess-of-mine', from('203.0.113.7'))))

    const same = await signInFrom('a-guess-of-mine', from('203.0.113.7'))
    const other = await signInFrom('a-guess-of-mine', from('203.0.113.8'))

    expect([same.status, other.status]).toEqual([429, 401])
  })

  test.each([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-real-ip': '203.0.113.9' },
    { via: '1.1 proxy' },
    { host: 'vitae.example.com' },
  ])('an outsider learns from /readyz and /metrics only whether it is ready: %o', async (headers) => {
    const ready = await get(proxied.url, '/readyz', headers)
    const metrics = await get(proxied.url, '/metrics', headers)

    expect(ready).toEqual({ status: 200, text: '{"status":"ready"}' })
    expect(metrics.status).toBe(404)
    expect(metrics.text).not.toContain('vitae_')
    expect((await get(proxied.url, '/readyz', {})).text).toContain('checks')
  })
})

/** With `node:http`, because `fetch` sets the host itself. */
function get(url: string, path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end()
  })
}

describe('the pages before sign-in', () => {
  test.each(['/', '/console', '/console/'])('%s is a page under a strict policy, and is not cached', async (path) => {
    const answer = await fetch(`${service.url}${path}`)
    const text = await answer.text()

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(text).not.toMatch(/demo|vt_(live|test)_|0\.1\.0|sqlite|postgres/i)
  })

  test('built files are cached by browsers indefinitely, and other files do not exist', async () => {
    const page = await (await fetch(`${service.url}/console`)).text()
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''

    const found = await fetch(service.url + script)
    const missing = await fetch(`${service.url}/console/assets/..%2f..%2fpackage.json`)

    expect(found.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(found.headers.get('content-type')).toContain('text/javascript')
    expect(missing.status).toBe(404)
  })
})
