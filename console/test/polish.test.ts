import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, goTo, openBrowser, openPage, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the polish of the console, because there is no chromium on the path.')
const long = 'a-name-of-'.repeat(19)
const rightToLeft = '\u05d0\u05d1\u05d2 (ltd)'

describe.skipIf(!chromium)('the console in daily use', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page

  const makeKey = (settings: object) =>
    service.admin<{ id: string; key: string }>('POST', '/keys', {
      project: 'acme',
      environment: 'production',
      mode: 'live',
      ...settings,
    })
  beforeAll(async () => {
    service = await startService()
    const { key } = await makeKey({ label: long })
    const { key: other } = await makeKey({ label: rightToLeft })
    await service.admin('POST', '/credits/grants', { project: 'acme', environment: 'production', amount: 100 })
    for (let call = 0; call < 24; call++)
      await service.lookup('people', call % 3 ? 'amara-okafor' : `nobody-${call}`, call % 2 ? key : other)
    const { key: capped } = await makeKey({ label: long, ceiling: 0 })
    await service.lookup('people', 'amara-okafor', capped)
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  test('at least 16 calls fit on a screen of 1,280 by 800 pixels with all columns, with long and right-to-left labels', async () => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await goTo(page, '#/calls')
    await page.locator('tbody tr').nth(20).waitFor()
    const whole = () =>
      page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length)
    const loose = await page.getByText(rightToLeft, { exact: true }).evaluateAll((labels) => {
      return labels.filter((label) => label.closest('bdi, option') === null).length
    })

    await expect.poll(whole).toBeGreaterThanOrEqual(16)
    await expect
      .poll(() => page.locator('.table-wrap').evaluate((frame) => frame.scrollWidth - frame.clientWidth))
      .toBe(0)
    expect(loose).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })

  test('a very long name takes at most two lines of the heading, and is whole on hover', async () => {
    const { id } = await makeKey({ label: long })
    await goTo(page, `#/projects/key/${id}`)
    const heading = page.locator('main h1')
    await expect.poll(() => heading.getAttribute('title')).toBe(long)
    const lines = await heading.evaluate(
      (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
    )

    expect(Math.round(lines)).toBeLessThanOrEqual(2)
  })

  test('the receipt of a call that was refused at a ceiling leads to the form that raises it', async () => {
    const { key } = await makeKey({ label: 'capped', ceiling: 0 })
    const answer = await service.lookup('people', 'amara-okafor', key)
    await goTo(page, `#/calls/${answer.headers.get('x-request-id')}`)
    await page.getByRole('link', { name: 'Raise the ceiling' }).click()
    const field = page.getByRole('dialog').getByLabel('Monthly ceiling')
    await field.fill('5')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const after = await service.lookup('people', 'amara-okafor', key)

    expect([answer.status, after.status]).toEqual([402, 200])
  })

  test('a dialog begins with the focus in its first field', async () => {
    for (const [hash, button] of [
      ['#/projects', 'New key'],
      ['#/projects', 'New project'],
      ['#/webhooks', 'New webhook'],
      ['#/projects/in/acme/production', 'Change the budget'],
    ] as const) {
      await goTo(page, hash)
      await page.getByRole('button', { name: button, exact: true }).click()
      const fields = page.getByRole('dialog').locator('.dialog-body :is(input, select, textarea)')
      await expect
        .poll(() => fields.first().evaluate((field) => field === document.activeElement), { message: button })
        .toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  test('the audit log is filtered by time, and by the actions and people in it', async () => {
    await goTo(page, '#/audit')
    await page.getByLabel('Time').selectOption('hour')
    await page.waitForURL(/time=hour/)
    await page.getByRole('row').filter({ hasText: 'key.create' }).first().waitFor()
    await page.locator('tbody tr').nth(3).waitFor()
    await page.getByLabel('Action').selectOption('credits.grant')
    const actions = () => page.locator('tbody td[data-label="Action"]').allTextContents()
    await expect.poll(async () => [...new Set(await actions())]).toEqual(['credits.grant'])
    await page.getByLabel('Who').selectOption('system')
    await page.locator('tbody tr').filter({ hasText: 'demo/production' }).waitFor()
    await expect.poll(actions).toHaveLength(1)
    await page.getByLabel('Who').selectOption('Anyone')
    await page.getByLabel('Time').selectOption('yesterday')
    await expect.poll(() => page.getByText('No entry matches.').isVisible()).toBe(true)
  })

  test('shows a frame before its script arrives', async () => {
    const { page: own, close } = await openPage(browser, `${service.url}/docs/failures`)
    onTestFinished(close)
    await own.route(/\/console\/assets\/.*\.js$/, () => {})
    await own.goto(`${service.url}/console`, { waitUntil: 'commit' })
    await own.locator('.shell .side').waitFor()

    await expect.poll(() => own.locator('.skeleton').first().isVisible()).toBe(true)
  })

  test('the page of failures is readable in both colour schemes, without a complaint of the browser', async () => {
    const colours = new Set<string>()
    for (const colorScheme of ['light', 'dark'] as const) {
      const {
        page: own,
        complaints,
        close,
      } = await openPage(browser, `${service.url}/docs/failures#not_found`, {
        colorScheme,
      })
      const list = own.locator('dt').first()
      colours.add(await list.evaluate((element) => getComputedStyle(element).color))
      expect(await list.evaluate((element) => getComputedStyle(element).fontWeight)).toBe('600')
      expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
      await close()
    }

    expect(colours.size).toBe(2)
  })
})
