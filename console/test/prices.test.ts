import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: prices in the console, because there is no chromium on the path.')
const dayMs = 86_400_000

describe.skipIf(!chromium)('the page of prices', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    const lastMonth = new Date()
    lastMonth.setUTCDate(0)
    for (const project of ['crm', 'sales']) {
      const place = { project, environment: 'production' }
      service.setClockOffset(lastMonth.getTime() - Date.now() - dayMs)
      const { key } = await service.admin<{ key: string }>('POST', '/keys', { ...place, mode: 'live' })
      await service.admin('POST', '/credits/grants', { ...place, amount: 100 })
      for (let call = 0; call < 2; call++) await service.lookup('people', 'amara-okafor', key)
    }
    service.setClockOffset(0)
    const browser: Browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  beforeEach(() => goTo(page, '#/prices'))
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const check = async (document: object) => {
    await page.getByRole('button', { name: 'Set prices' }).click()
    await page.getByLabel('Price document').fill(JSON.stringify(document, null, 2))
    await page.getByRole('button', { name: 'Check' }).click()
  }
  const costs = (within: string) => page.locator(`${within} .book-preview tbody tr`).allInnerTexts()
  const shown = async (within: string) =>
    (await costs(within)).map((row) => row.split(/\s*[\t\n]\s*/).filter((text) => text !== ''))

  test('shows what last month would have cost with a book before it is set, and while it waits for its start', async () => {
    const lines = [{ source: 'store', project: 'crm', credits: 0 }, { source: 'store', credits: 5 }, { credits: 1 }]
    const expected = [
      ['All projects', '4', '4', '11', '+7'],
      ['sales', '2', '2', '10', '+8'],
      ['crm', '2', '2', '1', '−1'],
    ]
    await check({ valid_from: new Date(Date.now() + dayMs).toISOString(), lines })
    await expect.poll(() => shown('dialog')).toEqual(expected)
    await page.getByRole('button', { name: 'Set this book' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { books } = await service.admin<{ books: { version: number }[] }>('GET', '/prices/history')

    await expect.poll(() => shown(`main .panel:has-text("Book ${books[0]?.version} applies")`)).toEqual(expected)
    expect(watched.complaints).toEqual([])
  })

  test('says “at most” where the receipts lack a fact', async () => {
    await check({ lines: [{ credits: 1 }], parts: [{ part: 'contact', credits: 2 }] })
    const dialog = page.getByRole('dialog')
    await dialog.getByText('some figures are only a limit').waitFor()

    expect((await shown('dialog'))[0]).toEqual(['All projects', '4', '4', 'at most 10', 'at most +6'])
    await page.keyboard.press('Escape')
  })

  test('names the line of a problem as its table does', async () => {
    const lines = [{ kind: 'people', source: 'stale_fallback', credits: 1 }, { credits: 1 }]
    const from = new Date(Date.now() + 2 * dayMs).toISOString()
    await service.admin('POST', '/prices', { valid_from: from, lines })
    await page.reload()
    await check({ lines: [{ kind: 'people', source: 'stale_fallback', credits: -1 }, { credits: 1 }] })
    await page.getByText(/^Line 1: people, stale → credits must be a whole number of credits/).waitFor()
    await page.keyboard.press('Escape')
    const fits = page.getByRole('rowheader', { name: 'people, stale', exact: true })

    await expect.poll(() => fits.count()).toBe(1)
  })
})
