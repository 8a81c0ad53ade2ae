import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the spend page of the console, because there is no chromium on the path.')

const dayMs = 86_400_000
const shop = { project: 'shop', environment: 'production' }

describe.skipIf(!chromium)('spending', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }

  beforeAll(async () => {
    service = await startService({ VITAE_DIRECTORY_COST: '0.02' })
    const keys: string[] = []
    for (const label of ['crm sync', 'nightly job']) {
      const body = { ...shop, mode: 'live', label }
      keys.push((await service.admin<{ key: string }>('POST', '/keys', body)).key)
    }
    await service.admin('POST', '/credits/grants', { ...shop, amount: 100, reason: 'test' })
    const [crm = '', nightly = ''] = keys
    for (const ago of [2, 0]) {
      service.setClockOffset(-ago * dayMs)
      for (const tag of ['spring', 'spring', 'autumn'])
        await fetch(`${service.url}/v1/people/profile?profile_id=salma-idrissi`, {
          headers: { apikey: crm, 'x-spend-tag': tag },
        })
      await service.lookup('people', 'salma-idrissi', nightly)
    }
    await service.lookup('people', 'amara-okafor', service.demo.live_key)
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const settled = () => page.locator('main:has(h1):not(:has(.loading))').waitFor()
  const tile = (label: string) => page.locator(`.tile:has(:text-is("${label}")) .tile-value`).textContent()
  const names = () => page.locator('tbody th[role="rowheader"]').allTextContents()

  test('the largest spender and the reason are three clicks from the overview', async () => {
    await goTo(page, '#/overview?time=7d')
    clicks = 0

    const environment = page.getByRole('row', { name: /^shop\/production/ })
    await click(environment.locator('[data-label="Spent"] a'))
    await page.getByRole('heading', { name: 'Spend', level: 1 }).waitFor()
    await expect.poll(names).toEqual(['crm sync', 'nightly job'])
    await click(page.getByRole('link', { name: 'crm sync' }))

    await expect.poll(names).toEqual(['spring', 'autumn'])
    await expect.poll(() => page.getByRole('row', { name: /^spring/ }).textContent()).toMatch(/^spring4466\.7 %/)
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Where you are' }).locator('li').allTextContents())
      .toEqual(['All projects', 'shop', 'production', 'crm sync'])
    expect(clicks).toBeLessThanOrEqual(3)
  })

  test('CSV is two clicks away, and has exactly the shown rows', async () => {
    await goTo(page, '#/overview')
    clicks = 0

    await click(page.getByRole('navigation').getByRole('link', { name: 'Spend' }))
    await page.getByRole('heading', { name: 'Spend', level: 1 }).waitFor()
    await settled()
    const download = page.waitForEvent('download')
    await click(page.getByRole('button', { name: /^This page as CSV/ }))
    const csv = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n')
    const rows = [
      ['shop', '8', '8'],
      ['demo', '1', '1'],
    ]
    const shown = page
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          ['th', '[data-label="Calls"]', '[data-label="Credits"]'].map((cell) => row.querySelector(cell)?.textContent),
        ),
      )

    expect(csv[0]).toBe('Project,Calls,Credits,Share,Period before,Change')
    expect(csv.slice(1).map((line) => line.split(',').slice(0, 3))).toEqual(rows)
    expect(await shown).toEqual(rows)
    expect(clicks).toBeLessThanOrEqual(3)
  })

  test('overview, spending and calls use the same words for a period, and the same words mean the same figures', async () => {
    for (const time of ['hour', '24h', 'today', 'yesterday', '7d', '30d', '90d', 'month']) {
      const seen: (string | null)[][] = []
      for (const at of ['overview', 'spend']) {
        await goTo(page, `#/${at}?time=${time}`)
        const words = page.locator('.time-words').textContent()
        seen.push([await words, await tile('Credits spent'), await tile('Calls')])
      }
      await goTo(page, `#/calls?time=${time}`)

      expect(seen[0], time).toEqual(seen[1])
      await expect.poll(() => page.locator('.time-words').textContent()).toBe(seen[0]?.[0])
    }
    await goTo(page, '#/spend?from=2026-11-01&to=2026-11-16')
    await expect.poll(() => page.locator('.time-words').textContent()).toBe('1 to 16 November 2026')
  })

  test('a period is chosen from the list or by its days, and the current view stays', async () => {
    await goTo(page, '#/spend?project=shop')
    await page.getByLabel('Time', { exact: true }).selectOption({ label: 'Choose days' })
    await page.getByLabel('First day').fill('2026-01-31')
    await page.getByLabel('First day').dispatchEvent('change')
    await expect.poll(() => page.locator('.time-words').textContent()).toMatch(/^31 January.* to .*$/)
    await page.getByLabel('Time', { exact: true }).selectOption({ label: '7 days' })

    await expect.poll(() => new URL(page.url()).hash).toBe('#/spend?project=shop&time=7d')
    await expect.poll(names).toEqual(['production'])
  })

  test('days are in chronological order, and a click on a bar narrows the period to its day', async () => {
    await goTo(page, '#/spend?project=shop&by=day&time=7d')
    const [first, last] = [dayText(2), dayText(0)]
    await expect.poll(names).toEqual([first, last])

    // The scale is the chosen week: the first of these days is the fifth of seven.
    const box = await page.locator('.chart .u-over').boundingBox()
    if (!box) throw new Error('no chart was drawn')
    await page.mouse.move(box.x + (box.width * 4.3) / 7, box.y + box.height / 2)
    await page.locator('.legend-time').waitFor()
    await page.mouse.click(box.x + (box.width * 4.3) / 7, box.y + box.height / 2)

    await expect.poll(() => new URL(page.url()).hash).toBe(`#/spend?project=shop&by=day&from=${first}&to=${first}`)
    await expect.poll(() => tile('Credits spent')).toBe('4')
  })
})

function dayText(ago: number): string {
  return new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10)
}
