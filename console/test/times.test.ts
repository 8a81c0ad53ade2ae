import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: times in the console, because there is no chromium on the path.')
const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe.skipIf(!chromium)('times, days and windows', () => {
  let service: TestService
  let browser: Browser

  beforeAll(async () => {
    service = await startService()
    // One call on each side of a midnight in Honolulu, which is ten hours behind UTC, both on one UTC day.
    const midnight = Math.floor((Date.now() - 10 * hourMs) / dayMs) * dayMs - 2 * dayMs + 10 * hourMs
    for (const at of [midnight - hourMs, midnight + hourMs]) {
      service.setClockOffset(at - Date.now())
      await service.lookup('people', 'amara-okafor', service.demo.live_key)
    }
    service.setClockOffset(0)
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(() => service?.close())

  async function open(timezoneId: string): Promise<Page> {
    const { page, close } = await signedIn(browser, service, { timezoneId })
    onTestFinished(close)
    return page
  }

  test('the zone is named once per page, and the switch changes times, days and windows, and is kept', async () => {
    const page = await open('Pacific/Honolulu')
    const zone = page.locator('main .zone')
    const shown = (timeZone: string, at: string) =>
      new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(Date.parse(at))
    await goTo(page, '#/calls')
    const time = page.locator('main time').first()
    const at = (await time.getAttribute('datetime')) ?? ''
    await expect.poll(() => time.textContent()).toBe(shown('UTC', at))
    expect(await time.getAttribute('title')).toBe(`${shown('Pacific/Honolulu', at)}, Pacific/Honolulu`)
    await goTo(page, '#/spend?by=day&time=7d')
    const days = page.locator('.table tbody tr')
    await expect.poll(() => days.count()).toBe(1)
    const words = await page.locator('.time-words').textContent()
    expect(words).not.toMatch(/UTC/)
    expect((await page.locator('main').textContent())?.match(/UTC/g)).toHaveLength(1)

    await page.getByRole('button', { name: 'Show local time, Pacific/Honolulu' }).click()
    await expect.poll(() => zone.textContent()).toBe('Times and days in Pacific/HonoluluShow UTC')
    await expect.poll(() => days.count()).toBe(2)
    await days.locator('[data-label="Calls"] a').first().click()
    await expect.poll(() => page.locator('main:not(:has(.loading)) .table tbody tr').count()).toBe(1)

    await page.reload()
    await expect.poll(() => zone.textContent()).toContain('Times and days in Pacific/Honolulu')
    await goTo(page, '#/calls')
    await expect.poll(() => time.textContent()).toBe(shown('Pacific/Honolulu', at))
    expect(await time.getAttribute('title')).toBe(`${shown('UTC', at)}, UTC`)
  })

  test('a time that is typed is read in the zone of the page', async () => {
    const page = await open('Asia/Tokyo')
    const { id } = await service.admin<{ id: string }>('POST', '/keys', {
      ...{ project: 'demo', environment: 'production', mode: 'live', label: 'ends soon' },
    })
    const expiry = async () => (await service.admin<{ expires_at: string }>('GET', `/keys/${id}`)).expires_at
    const type = async (text: string) => {
      await goTo(page, `#/projects/key/${id}`)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('dialog').locator('input[type=datetime-local]').fill(text)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }

    await type('2030-05-01T12:00')
    expect(await expiry()).toBe('2030-05-01T12:00:00.000Z')
    await page.getByRole('button', { name: 'Show local time, Asia/Tokyo' }).click()
    await type('2030-05-01T12:00')
    expect(await expiry()).toBe('2030-05-01T03:00:00.000Z')
  })

  test('without another zone there is nothing to switch', async () => {
    const page = await open('UTC')
    expect(await page.locator('main .zone').textContent()).toBe('Times and days in UTC')
  })
})
