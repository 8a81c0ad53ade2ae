import { readFileSync } from 'node:fs'
import type { OperatorStatement } from '@vitae/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the statement page of the console, because there is no chromium on the path.')

const month = new Date().toISOString().slice(0, 7)

describe.skipIf(!chromium)('the statement page', () => {
  let service: TestService
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService({ VITAE_DIRECTORY_COST: '0.02', VITAE_CURRENCY: 'EUR', VITAE_CREDIT_VALUE: '0.05' })
    const shop = { project: 'shop', environment: 'production' }
    const { key } = await service.admin<{ key: string }>('POST', '/keys', { ...shop, mode: 'live' })
    await service.admin('POST', '/credits/grants', { ...shop, amount: 1_500, reason: 'test' })
    await service.admin('POST', '/credits/adjustments', { ...shop, amount: -5, reason: 'test' })
    for (const id of ['amara-okafor', 'amara-okafor', 'salma-idrissi'])
      await fetch(`${service.url}/v1/people/profile?profile_id=${id}`, {
        headers: { apikey: key, 'x-spend-tag': 'spring' },
      })
    const browser: Browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const cellsOf = (table: string) =>
    page
      .getByRole('table', { name: table })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('.cell')].map((cell) => cell.textContent)))

  test('is one click from a project, and shows every figure of the statement', async () => {
    const statement = await service.admin<OperatorStatement>('GET', `/statement?project=shop&month=${month}`)
    await goTo(page, '#/projects')

    const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'shop' }) })
    await panel.getByRole('link', { name: 'Statement' }).click()
    await page.getByRole('table', { name: 'Balances in credits' }).waitFor()

    expect(new URL(page.url()).hash).toBe('#/spend/statement?project=shop')
    const figures = async () => (await cellsOf('Balances in credits')).map((cells) => cells.join(': '))
    await expect
      .poll(figures)
      .toEqual([
        'Opening balance: 0',
        'Granted: 1,500',
        'Lapsed recurring credits that were not spent in time: 0',
        `Charged 0.15 EUR at 0.05 EUR a credit: −${statement.charged}`,
        'Corrected refunds and corrections: −5',
        'Closing balance: 1,492',
      ])
    const lines = () => cellsOf('Charges by price line, endpoint, source and spend tag')
    await expect
      .poll(lines)
      .toEqual(
        statement.lines.map((line) => [
          line.price_line,
          line.endpoint,
          line.source,
          line.spend_tag,
          String(line.calls),
          String(line.credits),
        ]),
      )
    await expect
      .poll(() => cellsOf('Cost by provider'))
      .toEqual([
        ['directory', statement.provider_cost.total],
        ['All providers', statement.provider_cost.total],
      ])
    await expect.poll(() => page.locator('.statement-state').textContent()).toMatch(/^in progress/)
  })

  test('follows the chosen environment and month, and saves them as CSV', async () => {
    await goTo(page, `#/spend/statement?project=shop&month=${month}`)
    await page.getByRole('combobox', { name: 'Environment' }).selectOption('production')
    await expect
      .poll(() => new URL(page.url()).hash)
      .toBe(`#/spend/statement?project=shop&environment=production&month=${month}`)
    await page.getByRole('table', { name: 'Balances in credits' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    const csv = readFileSync(await (await download).path(), 'utf8')
    expect((await download).suggestedFilename()).toBe(`statement-shop-production-${month}.csv`)
    expect(csv).toContain('closing balance,,,,,,1492,,')

    await page.getByLabel('Month').selectOption({ index: 1 })
    await page.getByText('Nothing was charged in this month.').waitFor()
    await expect.poll(() => cellsOf('Balances in credits')).toContainEqual(['Granted', '0'])
  })

  test('prints the statement alone, on white', async () => {
    await goTo(page, `#/spend/statement?project=shop&month=${month}`)
    await page.evaluate(() => (window.print = () => document.documentElement.setAttribute('data-printed', 'yes')))
    await page.getByRole('button', { name: 'Print' }).click()
    await page.locator('html[data-printed=yes]').waitFor()

    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const shown = {
      menu: await page.getByRole('navigation', { name: 'Pages' }).isVisible(),
      choices: await page.getByLabel('Month').isVisible(),
      button: await page.getByRole('button', { name: 'Print' }).isVisible(),
      lines: await page.getByRole('table', { name: /^Charges/ }).isVisible(),
      title: await page.getByRole('heading', { level: 1 }).isVisible(),
    }
    const text = await page.locator('h1').evaluate((heading) => getComputedStyle(heading).color)
    await page.emulateMedia({ media: null, colorScheme: null })

    expect(shown).toEqual({ menu: false, choices: false, button: false, lines: true, title: true })
    expect(text).toBe('rgb(23, 24, 28)')
    expect(watched.complaints).toEqual([])
  })
})
