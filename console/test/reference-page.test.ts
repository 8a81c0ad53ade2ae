import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { adminFailures, failures } from '@vitae/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, openBrowser, openPage, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: /docs in a browser, because there is no chromium on the path.')

describe('/docs', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.close())

  test("has the console's headers, with a new nonce in every response instead of unsafe-inline", async () => {
    const [page, again, script] = await Promise.all(
      ['/docs', '/docs', '/docs/js/scalar.js'].map((path) => fetch(service.url + path)),
    )
    const policies = [page, again, script].map((answer) => answer?.headers.get('content-security-policy') ?? '')
    const nonces = policies.map((policy) => /'nonce-([^']+)'/.exec(policy)?.[1] ?? '')
    const text = (await page?.text()) ?? ''

    for (const policy of policies) {
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
    }
    expect(page?.headers.get('x-frame-options')).toBe('DENY')
    expect(new Set(nonces).size).toBe(3)
    expect([...text.matchAll(/<(?:script|style)[^>]*>/g)].every(([tag]) => tag.includes(` nonce="${nonces[0]}"`))).toBe(
      true,
    )
  })

  test('has a script that is compressed to less than a megabyte and cached by the browser', async () => {
    const sizes = await Promise.all(
      ['zstd', 'gzip, deflate, br', 'identity'].map(async (coding) => {
        const answer = await fetch(`${service.url}/docs/js/scalar.js`, { headers: { 'Accept-Encoding': coding } })
        expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
        return Number(answer.headers.get('content-length'))
      }),
    )

    expect(sizes[0]).toBeLessThan(1_000_000)
    expect(sizes[1]).toBeLessThan(1_000_000)
    expect(sizes[2]).toBeGreaterThan(3_000_000)
  })

  test('has an anchor for every failure, and the type of a problem links to it', async () => {
    const problem = (await (await fetch(`${service.url}/v1/nothing`)).json()) as { type: string }
    const { pathname, hash } = new URL(problem.type, service.url)
    const text = await (await fetch(service.url + pathname)).text()
    const codes = [...Object.keys(failures), ...Object.keys(adminFailures)]

    expect(text).toContain(`id="${hash.slice(1)}"`)
    expect(codes.filter((code) => !text.includes(`<dt id="${code}">`))).toEqual([])
  })

  test("has a document for programs with the callers' URL", async () => {
    const named = await startService({ VITAE_PUBLIC_URL: 'https://vitae.example.org' })
    onTestFinished(() => named.close())
    const { servers } = (await (await fetch(`${named.url}/openapi.json`)).json()) as { servers: { url: string }[] }

    expect(servers.map(({ url }) => url)).toEqual(['https://vitae.example.org'])
  })

  test.skipIf(!chromium)(
    'has a curl line that runs unchanged, with the key that is kept only for the tab, also in a browser that accepts only gzip',
    async () => {
      const watched = await openPage(await openBrowser(chromium ?? ''), `${service.url}/docs`)
      const { page, complaints, close } = watched
      onTestFinished(close)
      const line = page.locator('pre').filter({ hasText: 'curl' }).first()
      await page.getByPlaceholder(/./).first().fill(service.demo.test_key)
      await line.filter({ hasText: service.demo.test_key }).waitFor()
      // The page stores it half a second after the last letter.
      await page.waitForFunction((key) => Object.values(sessionStorage).join('').includes(key), service.demo.test_key)
      // The second load is with gzip alone, because each one costs seconds of CPU time.
      const codings: (string | undefined)[] = []
      await page.route('**/docs/js/scalar.js', async (route) => {
        const headers = { ...route.request().headers(), 'accept-encoding': 'gzip' }
        const response = await route.fetch({ headers })
        codings.push(response.headers()['content-encoding'])
        await route.fulfill({ response })
      })
      await page.reload()
      await line.filter({ hasText: service.demo.test_key }).waitFor()
      const { stdout } = await promisify(execFile)('sh', ['-c', (await line.textContent()) ?? ''])
      // Another tab of the same browser; a small page, because this one has megabytes of script.
      const another = await page.context().newPage()
      await another.goto(`${service.url}/docs/failures`)
      const kept = await another.evaluate(() =>
        [...Object.values(sessionStorage), ...Object.values(localStorage)].join(''),
      )
      const cookies = JSON.stringify(await page.context().cookies())

      expect(codings).toEqual(['gzip'])
      expect(complaints.filter((text) => text.startsWith('thrown'))).toEqual([])
      expect(await page.title()).toBe('Vitae API')
      expect(JSON.parse(stdout)).toHaveProperty('public_identifier')
      expect(kept + cookies).not.toContain(service.demo.test_key)
    },
  )

  test.skipIf(!chromium)(
    'reads no console session of the same browser, sends nothing to another host, and starts with a sample',
    async () => {
      const browser: Browser = await openBrowser(chromium ?? '')
      const { page, complaints, close } = await signedIn(browser, service)
      await page.goto(`${service.url}/docs`)
      await page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click()
      const asked = page.waitForRequest((sent) => sent.url().includes('/v1/'))
      await page
        .getByRole('button', { name: /Send get request/ })
        .first()
        .click()
      const request = await asked
      const session = await page.evaluate(() =>
        fetch('/admin/v1/session').then(
          ({ status }) => status,
          () => 'refused',
        ),
      )
      const elsewhere = await page
        .locator('a[href*="scalar.com"]:visible')
        .evaluateAll((links) => links.map((link) => link.outerHTML))

      const names = await page.getByRole('button', { includeHidden: true }).allTextContents()

      expect(new URL(request.url()).search).toBe('?profile_id=sample-complete')
      expect(request.headers()).not.toHaveProperty('idempotency-key')
      expect(session).toBe('refused')
      expect(elsewhere).toEqual([])
      expect(
        names.filter((name) => /^(Ask AI|VS Code|Cursor|Developer Tools|Share|Deploy)$/.test(name.trim())),
      ).toEqual([])
      expect(complaints.filter((text) => text.includes('left the origin'))).toEqual([])
      await close()
    },
  )
})
