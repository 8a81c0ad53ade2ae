import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { columnsOf } from './drawn.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the overview of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('overview, spend and the page of a call', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page
  let hitId = ''
  let missId = ''

  beforeAll(async () => {
    service = await startService({ VITAE_DIRECTORY_COST: '0.02' })
    const { live_key: key } = service.demo
    await service.lookup('people', 'amara-okafor', key)
    hitId = requestIdOf(await service.lookup('people', 'amara-okafor', key))
    missId = requestIdOf(await service.lookup('people', 'nobody-at-all', key))
    const headers = { apikey: key, 'x-spend-tag': 'spring-campaign' }
    await fetch(`${service.url}/v1/people/profile?profile_id=salma-idrissi`, { headers })
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  test('the bar of the current bucket is drawn', async () => {
    for (const time of ['hour', '24h', '7d', '30d']) {
      await goTo(page, `#/overview?time=${time}`)
      await expect.poll(() => columnsOf(page, '--c-live'), { message: time }).not.toEqual([])
    }
  })

  test('daily buckets are days of the zone of the page, in the table and on the axis', async () => {
    const { page, close } = await signedIn(browser, service, { timezoneId: 'Pacific/Honolulu' })
    await recordDrawnText(page)
    await goTo(page, '#/overview?time=30d')
    await page.getByText('Values as a table').first().click()
    await page.locator('.values tbody th').first().waitFor()
    const { series } = await service.admin<{ series: { at: string }[] }>('GET', `/overview?since=${daysAgo(29)}`)
    const days = series.map(({ at }) => utcDay.format(Date.parse(at)))
    const ticks = async () => (await drawnText(page)).filter(({ text }) => days.includes(text))
    await expect.poll(async () => (await ticks()).length).toBeGreaterThan(2)
    // The scale begins with the first day and ends with the end of the last.
    const off = (await ticks()).map(({ text, share }) => Math.abs(share * days.length - days.indexOf(text)))

    await expect.poll(() => page.locator('.values tbody th').allTextContents()).toEqual([utcDay.format()])
    expect(Math.max(...off), 'days that a tick is beside its day').toBeLessThan(0.2)
    await close()
  })

  test('the overview begins with attention items, each with a link to its remedy', async () => {
    const poor = { project: 'poor', environment: 'production', mode: 'live' }
    await service.admin('POST', '/keys', poor)
    await goTo(page, '#/overview?time=7d')
    const first = page.locator('main h2').first()
    const item = page.getByRole('listitem').filter({ hasText: 'It has no credits left.' })

    await expect.poll(() => first.textContent()).toBe('Needs attention')
    await expect.poll(() => item.getByRole('link').getAttribute('href')).toBe('#/projects/in/poor/production')
  })

  test('refused calls and service failures are two figures', async () => {
    await goTo(page, '#/overview')
    const tile = page.locator('.tile', { hasText: 'Failed here (5xx)' })

    await expect.poll(() => tile.textContent()).toMatch(/Failed here \(5xx\)0.*1 refused \(4xx\)/)
  })

  test('credits are summed by spend tag, and the CSV has the same sums', async () => {
    await goTo(page, '#/spend?by=tag')

    await expect
      .poll(() => page.getByRole('row', { name: /spring-campaign/ }).textContent())
      .toMatch(/^spring-campaign11/)
    const save = page.getByRole('button', { name: 'All rows as CSV' })
    const [csv] = await Promise.all([page.waitForEvent('download'), save.click()])
    expect(csv.suggestedFilename()).toMatch(/^usage-.*\.csv$/)
    expect(readFileSync(await csv.path(), 'utf8')).toMatch(/,spring-campaign,,,,1,1\r/)
  })

  test('the page of a call shows the request, the decision, the providers and the time', async () => {
    await goTo(page, `#/calls/${missId}`)
    await page.getByRole('heading', { name: 'Providers asked' }).waitFor()
    const main = page.locator('main')
    await expect.poll(() => main.textContent()).toContain('Asked fornobody-at-all')
    const text = await main.textContent()
    await goTo(page, `#/calls/${hitId}`)
    await page.getByRole('heading', { name: 'Decision' }).waitFor()

    expect(text).toMatch(/Freshness rulefetch: /)
    expect(text).toContain('not_found')
    expect(text).toMatch(/fetch(< )?[\d.]+ ms/)
    await expect.poll(() => main.textContent()).toContain('amara-okafor')
  })

  test('the steps of a call are drawn where they began, and the providers inside the fetch', async () => {
    await goTo(page, `#/calls/${missId}`)
    const steps = page.getByRole('list', { name: 'Steps of the call, in order' }).getByRole('listitem')
    await steps.first().waitFor()
    const names = await steps.locator('.step').allTextContents()
    const left = async (name: string) =>
      (await steps.filter({ hasText: name }).first().locator('.bar').boundingBox())?.x
    const [recall = 0, fetch = 0, asked = 0] = [await left('recall'), await left('fetch'), await left('directory:')]

    expect(names).toEqual(expect.arrayContaining(['recall', 'fetch', 'directory: not_found', 'total']))
    expect(fetch).toBeGreaterThanOrEqual(recall)
    expect(Math.abs(asked - fetch)).toBeLessThan(1)
  })

  test('spending is drawn over time, compared with the previous period, and links to the calls; savings are priced', async () => {
    await goTo(page, '#/spend?by=tag&time=7d')
    await page.getByText('Values as a table').click()
    const row = page.getByRole('row', { name: /^spring-campaign/ }).last()
    await row.waitFor()
    await page.locator('.values thead th').first().waitFor()
    const heads = page.locator('.values thead th')

    await expect.poll(() => heads.allTextContents()).toEqual(['From', 'without a tag', 'spring-campaign'])
    await expect.poll(() => row.textContent()).toBe('spring-campaign1133.3 %0new')
    await expect.poll(() => page.locator('.tile', { hasText: 'The store saved' }).textContent()).toContain('1 call')
    await expect.poll(() => page.locator('.tile', { hasText: 'Saved money' }).textContent()).toContain('0.02 USD')
    await row.locator('[data-label="Calls"] a').click()
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
    await page.locator('main:not(:has(.loading)) tbody tr').first().waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  })

  test('days left are computed from the last 14 days for every shown range, and the page says so', async () => {
    const shown = page.getByRole('row', { name: /^demo\/production/ }).locator('[data-label="Days left"]')
    const daysLeft = async (range: string) => {
      const { environments } = await service.admin<{ environments: { days_left: number; per_day: number }[] }>(
        'GET',
        `/overview?range=${range}`,
      )
      return environments[0]
    }
    const hour = await daysLeft('hour')
    expect(hour?.per_day).toBeCloseTo(3 / 14)
    expect((await daysLeft('month'))?.days_left).toBe(hour?.days_left)
    for (const time of ['hour', '30d']) {
      await goTo(page, `#/overview?time=${time}`)
      await expect.poll(() => shown.textContent(), { message: time }).toBe('> 999')
    }
    await expect
      .poll(() => page.locator('main').textContent())
      .toContain('Days left are counted at the spend of the last 14 days.')
  })
})

function requestIdOf(answer: Response): string {
  return answer.headers.get('x-request-id') ?? ''
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

const utcDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Records the texts that charts draw from now on. */
function recordDrawnText(page: Page): Promise<void> {
  return page.evaluate(() => {
    const drawn: { text: string; x: number; canvas: HTMLCanvasElement }[] = []
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
      const at = new DOMPoint(x, y).matrixTransform(this.getTransform()).x
      drawn.push({ text, x: at / devicePixelRatio, canvas: this.canvas })
      fillText.call(this, text, x, y, ...rest)
    }
    Object.assign(window, { drawn })
  })
}

/** The texts on the canvas of the first chart, with their positions as a share of the scale's width. */
function drawnText(page: Page): Promise<{ text: string; share: number }[]> {
  return page.evaluate(() => {
    const { drawn } = window as unknown as { drawn: { text: string; x: number; canvas: HTMLCanvasElement }[] }
    const canvas = document.querySelector('.chart canvas')
    const scale = document.querySelector('.chart .u-over')?.getBoundingClientRect()
    if (!canvas || !scale) return []
    const { left } = canvas.getBoundingClientRect()
    return drawn
      .filter((one) => one.canvas === canvas)
      .map(({ text, x }) => ({ text, share: (x + left - scale.left) / scale.width }))
  })
}
