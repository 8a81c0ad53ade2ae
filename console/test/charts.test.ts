import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { columnsOf } from './drawn.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the charts of the console, because there is no chromium on the path.')

const dayMs = 86_400_000
/** The days ago on which each project has calls. */
const projects = { none: [], one: [0], two: [9, 0], a: [0], b: [0], c: [0] }

describe.skipIf(!chromium)('charts', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page
  const ids = new Map<string, string>()

  const useKey = async (project: string, daysAgo: number[]) => {
    const place = { project, environment: 'production' }
    service.setClockOffset(-20 * dayMs)
    const key = await service.admin<{ id: string; key: string }>('POST', '/keys', { ...place, mode: 'live' })
    await service.admin('POST', '/credits/grants', { ...place, amount: 100, reason: 'a test' })
    for (const ago of daysAgo) {
      service.setClockOffset(-ago * dayMs)
      for (const id of ['salma-idrissi', 'amara-okafor']) await service.lookup('people', id, key.key)
    }
    service.setClockOffset(0)
    return key.id
  }
  beforeAll(async () => {
    service = await startService()
    // All at once and before any report, because later calls do not change the sums of a day.
    for (const [project, daysAgo] of Object.entries(projects)) ids.set(project, await useKey(project, daysAgo))
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  /** The drawn bars as days of a window of 30, counted from its start. */
  const daysDrawn = async (colours: string[]) => {
    const runs = await Promise.all(colours.map((colour) => columnsOf(page, colour)))
    const days = runs.flat().map(([from, to]) => [Math.floor(from * 30 + 0.1), (to - from) * 30 <= 1].join())
    return [...new Set(days)].toSorted()
  }

  test.each([
    { project: 'none', drawn: [] },
    { project: 'one', drawn: ['29,true'] },
    { project: 'two', drawn: ['20,true', '29,true'] },
  ])('the scale is the chosen window with $drawn.length days of data', async ({ project, drawn }) => {
    const id = ids.get(project) ?? ''
    await goTo(page, `#/spend?project=${project}&time=30d`)
    if (drawn.length === 0) await page.getByText('No live call in this time.').waitFor()
    else await expect.poll(() => daysDrawn(['--c-group-1']), { message: 'spend' }).toEqual(drawn)
    for (const address of [`#/projects/key/${id}`, `#/projects/in/${project}/production`]) {
      await goTo(page, address)
      await expect.poll(() => daysDrawn(['--c-live', '--c-store']), { message: address }).toEqual(drawn)
    }
  })

  test('the last hour has a bar per minute, and overview and spend have the same buckets', async () => {
    for (const address of ['#/overview?time=hour', '#/spend?time=hour&by=day']) {
      await goTo(page, address)
      const drawn = () => columnsOf(page, address.includes('spend') ? '--c-group-1' : '--c-live')
      await expect.poll(drawn, { message: address }).not.toEqual([])
      const runs = await drawn()

      for (const [from, to] of runs) expect((to - from) * 60, address).toBeLessThanOrEqual(2)
      expect(Math.min(...runs.map(([from]) => from)), address).toBeGreaterThan(0.8)
    }
  })

  test('lines do not bridge days without a call, and a day alone is a point', async () => {
    await goTo(page, '#/overview?time=30d')
    const latency = page.locator('.panel', { has: page.getByRole('heading', { name: 'Latency' }) })
    await latency.locator('canvas').waitFor()
    // `columnsOf` reads the first chart.
    await page.evaluate(() => document.querySelector('.chart')?.remove())

    const drawn = () => columnsOf(page, '--c-group-2')
    await expect.poll(async () => (await drawn()).length).toBeGreaterThanOrEqual(2)
    const runs = await drawn()

    for (const [from, to] of runs) expect((to - from) * 30).toBeLessThan(3)
  })

  test('groups have other colours than success and failure', async () => {
    await goTo(page, '#/spend?time=30d')
    const swatches = page.locator('.swatch')
    await swatches.first().waitFor()
    const groups = await swatches.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))
    await goTo(page, '#/overview?time=30d')
    const calls = page.locator('.panel', { has: page.getByRole('heading', { name: 'Calls', exact: true }) })
    await calls.locator('.swatch').first().waitFor()
    const outcomes = await calls
      .locator('.swatch')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))

    expect(new Set(groups).size).toBe(groups.length)
    expect(groups.length).toBeGreaterThan(3)
    expect(outcomes).toHaveLength(5)
    expect(groups.filter((colour) => outcomes.includes(colour))).toEqual([])
  })
})
