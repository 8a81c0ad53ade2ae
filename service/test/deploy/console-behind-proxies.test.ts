import { readFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TestIssuer } from '../../../console/test/issuer.ts'
import { freePort } from '../harness/start-engines.ts'
import { openTestService } from '../harness/test-service.ts'
import { fileWithConsole, hostName, isInstalled, proxies, startProxy, type RunningProxy } from './start-proxy.ts'

interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

const ada = { id: 'ada', email: 'ada@team.example', email_verified: true, groups: ['vitae-admins'] }

/** A minimal browser for a sign-on: it keeps cookies per host and reaches the console through the proxy. */
class Browser {
  readonly #proxy: RunningProxy
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(proxy: RunningProxy) {
    this.#proxy = proxy
  }

  /** Follows all redirects and returns the last response. */
  async open(url: string): Promise<Reply & { url: string }> {
    for (let at = url, steps = 0; steps < 10; steps++) {
      const { hostname } = new URL(at)
      const reply = await this.ask(at)
      const kept = this.#cookies.get(hostname) ?? new Map<string, string>()
      this.#cookies.set(hostname, kept)
      for (const cookie of [reply.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        kept.set(name, value)
      }
      const next = reply.headers['location']?.toString()
      if (next === undefined) return { ...reply, url: at }
      at = new URL(next, at).href
    }
    throw new Error(`${url} leads nowhere`)
  }

  async ask(url: string, headers: Record<string, string> = {}): Promise<Reply> {
    const { hostname, pathname, search } = new URL(url)
    const kept = [...(this.#cookies.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`)
    const sent = { ...headers, ...(kept.length > 0 ? { cookie: kept.join('; ') } : {}) }
    if (hostname !== hostName) {
      const response = await fetch(url, { headers: sent, redirect: 'manual' })
      const cookies = { 'set-cookie': response.headers.getSetCookie() }
      return {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...cookies },
        body: await response.text(),
      }
    }
    const { port, ca } = this.#proxy
    const target: RequestOptions = { host: '127.0.0.1', port, servername: hostName, ca, agent: false }
    return new Promise((resolve, reject) => {
      const asked = { ...target, path: `${pathname}${search}`, headers: { Host: `${hostName}:${port}`, ...sent } }
      const call = request(asked, (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        )
      })
      call.on('error', reject).end()
    })
  }
}

describe.each(proxies)('behind $name with the file that passes the console', (proxy) => {
  test('a person signs in at the issuer and uses the console; /metrics stays internal, and nothing is cached', async ({
    skip,
  }) => {
    if (!isInstalled(proxy)) {
      console.warn(`NOT RUN: single sign-on behind ${proxy.name}, because there is no ${proxy.binary} or no openssl`)
      return skip()
    }
    const at = await freePort()
    const consoleUrl = `https://${hostName}:${at}`
    const issuer = new TestIssuer({ consoleUrl, clientId: 'vitae', clientSecret: 'a secret' }, ada)
    await issuer.start('id token')
    onTestFinished(() => issuer.stop())
    const service = await openTestService({
      realClock: true,
      env: {
        VITAE_TRUST_PROXY: '127.0.0.1',
        VITAE_PUBLIC_URL: consoleUrl,
        VITAE_OIDC_ISSUER: issuer.url,
        VITAE_OIDC_CLIENT_ID: 'vitae',
        VITAE_OIDC_CLIENT_SECRET: 'a secret',
        VITAE_OIDC_SCOPES: 'openid email groups',
        VITAE_OIDC_ROLES: 'vitae-admins=owner',
      },
    })
    const running = await startProxy(proxy, service.url, { withConsole: true, at })
    onTestFinished(() => running.stop())
    const browser = new Browser(running)

    const before = await browser.ask(`${consoleUrl}/admin/v1/session`)
    const page = await browser.open(`${consoleUrl}/console/sign-in`)
    const session = await browser.ask(`${consoleUrl}/admin/v1/session`)
    const record = await browser.ask(`${consoleUrl}/admin/v1/records/https%3A%2F%2Fwww.linkedin.com%2Fin%2Fnobody`)

    expect(before.status).toBe(401)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, expect.stringMatching(/^\/console\/?$/)])
    expect(issuer.logins).toBe(1)
    expect([session.status, JSON.parse(session.body)]).toMatchObject([200, { role: 'owner' }])
    expect(session.headers['cache-control']).toContain('no-store')
    // The service has answered, whether or not it knows that record.
    expect(record.headers['x-request-id']).toBeDefined()
    const token = { authorization: `Bearer ${service.service.admin.ownerToken}` }
    for (const path of ['/metrics', '//metrics', '/%6detrics', '/console/../metrics', '/admin/openapi.json'])
      expect([path, (await browser.ask(`${consoleUrl}${path}`, token)).headers['x-request-id']]).toEqual([
        path,
        undefined,
      ])
  })

  test('the file differs from the usual one only in the routes that it passes', () => {
    const read = (file: string) =>
      readFileSync(join(import.meta.dirname, '../../../deploy/proxies', file), 'utf8').split('\n')
    const [usual, withConsole] = [read(proxy.file), read(fileWithConsole(proxy.file))]

    const others = withConsole.filter((line, index) => line !== usual[index])
    expect(withConsole).toHaveLength(usual.length)
    expect(others).toHaveLength(3)
    expect(others.filter((line) => !line.trimStart().startsWith('#'))).toEqual([expect.stringContaining('admin/v1')])
  })
})
