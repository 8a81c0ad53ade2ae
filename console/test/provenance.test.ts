import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { directoryLine } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: provenance in the console, because there is no chromium on the path.')
const dayMs = 86_400_000
const person = '#/records/people/amara-okafor'

describe.skipIf(!chromium)('the page of a record', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    const whole = JSON.parse(directoryLine('people', 'amara-okafor')) as object
    const record = (change: object) => JSON.stringify({ ...whole, ...change })
    for (const [provider, daysAgo, line] of [
      ['directory', 3, record({})],
      ['import', 1, record({ skills: [], websites: [] })],
    ] as const) {
      service.setClockOffset(-daysAgo * dayMs)
      const lines = [line]
      await service.admin('POST', '/records/import', { kind: 'people', provider, fetched_at: '0s', lines })
    }
    service.setClockOffset(0)
    await service.lookup('people', 'amara-okafor', service.demo.live_key)
    const browser: Browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  test('shows beside each value its provider and age, and the values by provider', async () => {
    await goTo(page, person)
    const origins = page.locator('.card .origin')
    await origins.nth(5).waitFor()
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Values by provider' }) })

    for (const text of await origins.allInnerTexts()) expect(text).toMatch(/^\S+, \d+ (h|d|min) ago$/)
    await panel.locator('section').first().waitFor()
    await expect.poll(() => panel.innerText()).toMatch(/headline[^]*experience/)
    expect(watched.complaints).toEqual([])
  })

  test('joins the operators and the callers who saw it in one list, newest first', async () => {
    await goTo(page, person)
    await page.getByRole('link', { name: 'Who saw this' }).click()
    await page.getByRole('row').filter({ hasText: 'caller' }).first().waitFor()
    const rows = await page.locator('tbody tr').allInnerTexts()
    const times = await page
      .locator('tbody th time')
      .evaluateAll((all) => all.map((time) => Date.parse(time.getAttribute('datetime') ?? '')))

    expect(rows.some((row) => /owner\s+operator\s+opened the record/.test(row))).toBe(true)
    expect(rows.filter((row) => /caller\s+was answered/.test(row))).toHaveLength(1)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(watched.complaints).toEqual([])
  })
})
