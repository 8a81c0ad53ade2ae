import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: /docs in a browser, because there is no chromium on the path.')

describe('/docs', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.close())

  test('has the headers of the console, with a new nonce in every answer instead of unsafe-inline', async () => {
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

  test('its script is compressed to less than a megabyte and kept by the browser', async () => {
    const sizes = await Promise.all(
      ['zstd', 'gzip', 'identity'].map(async (coding) => {
        const answer = await fetch(`${service.url}/docs/js/scalar.js`, { headers: { 'Accept-Encoding': coding } })
        expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
        return Number(answer.headers.get('content-length'))
      }),
    )

    expect(sizes[0]).toBeLessThan(1_000_000)
    expect(sizes[1]).toBeLessThan(1_300_000)
    expect(sizes[2]).toBeGreaterThan(3_000_000)
  })

  test.skipIf(!chromium)(
    'reads no console session of the same browser, sends nothing to another host, and begins with a sample',
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
