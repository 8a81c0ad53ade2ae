import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the pages of keys and environments, because there is no chromium on the path.')

describe.skipIf(!chromium)('pages of a key and of an environment', () => {
  let service: TestService
  let browser: Browser
  let keyId = ''

  beforeAll(async () => {
    service = await startService()
    const account = { project: 'tide', environment: 'production' }
    const made = await service.admin<{ id: string; key: string }>('POST', '/keys', { ...account, mode: 'live' })
    keyId = made.id
    await service.admin('POST', '/credits/grants', { ...account, amount: 20, reason: 'first contract' })
    for (const id of ['amara-okafor', 'amara-okafor', 'nobody-at-all']) await service.lookup('people', id, made.key)
    await service.lookup('people', 'amara-okafor', service.demo.live_key)
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(() => service?.close())

  test('the page of a key leads with its usage and has its spending, sources, failures and last calls, and nothing of other keys', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, `#/projects/key/${keyId}`)
    const tile = (label: string) => page.locator('.tile', { hasText: label })

    await expect.poll(() => page.locator('main h2').first().textContent()).toBe('Usage in 30 days')
    await expect.poll(() => page.locator('main h2').last().textContent()).toBe('Settings and state')
    await expect.poll(() => tile('Calls in 30 days').textContent()).toBe('Calls in 30 days31 live, 1 store, 0 stale')
    await expect.poll(() => tile('Credits in 30 days').textContent()).toBe('Credits in 30 days2')
    await expect.poll(() => tile('Refused (4xx)').textContent()).toBe('Refused (4xx)1')
    const last = page.getByRole('table', { name: 'Last calls, newest first' })
    await expect.poll(() => last.getByRole('row').count()).toBe(4)
    await page
      .getByRole('table', { name: /^Failures/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
    expect(page.url()).toContain(`status=404`)
    await close()
  })

  test('the page of an environment leads with usage, limits and keys; its ledger has signs and a running balance, and links to its grants', async () => {
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/projects/in/tide/production')
    const rows = page.getByRole('table', { name: /^Ledger/ }).locator('tbody tr')
    const cells = () =>
      rows.evaluateAll((all) =>
        all.map((row) =>
          ['Change', 'Balance'].map((label) => row.querySelector(`[data-label=${label}]`)?.textContent).join(' '),
        ),
      )
    await expect.poll(cells).toEqual(['frees 1 18', 'holds 1 18', '−1 18', '−1 19', 'holds 1 20', '+20 20'])
    await expect
      .poll(() => page.locator('main h2').allTextContents())
      .toEqual(['Usage in 30 days', 'Budget, monthly credits and alerts', 'Keys', 'Ledger', 'Providers'])
    const usage = page.locator('.panel', { hasText: 'Usage in 30 days' })
    for (const [name, at] of [
      ['Spend', '#/spend?project=tide&environment=production&time=30d'],
      ['Calls', '#/calls?project=tide&environment=production&time=30d'],
    ] as const)
      expect(await usage.getByRole('link', { name, exact: true }).getAttribute('href')).toBe(at)
    await page
      .getByRole('table', { name: /^Working keys/ })
      .getByRole('link', { name: /^no label/ })
      .waitFor()
    await page.getByRole('link', { name: 'Grants' }).click()
    await page.getByText('first contract').waitFor()
    await expect.poll(cells).toEqual(['+20 –'])
    await close()
  })
})
