import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the questions of operators, because there is no chromium on the path.')

const clicksAtMost = 3

/** A person at the overview who counts clicks. Typing is free: Ctrl-K opens the search box. */
class Operator {
  clicks = 0
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name }).first())
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name }).first())
  }

  /** Types into the search box, and opens a result. */
  async find(text: string, hit: string | RegExp): Promise<void> {
    await this.page.keyboard.press('Control+k')
    await this.page.getByRole('combobox', { name: 'Search for anything' }).fill(text)
    await this.click(this.page.getByRole('option', { name: hit }))
  }

  sees(text: string | RegExp): Promise<void> {
    const seen = this.page.locator('main').getByText(text).filter({ visible: true })
    return seen.first().waitFor()
  }
}

describe.skipIf(!chromium)("operators' questions, each answered within three clicks", () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let operator: Operator
  let failedId = ''

  beforeAll(async () => {
    service = await startService()
    const { key } = await service.admin<{ key: string }>('POST', '/keys', {
      ...{ project: 'demo', environment: 'production', mode: 'live' },
      ...{ label: 'nightly import', ceiling: 2 },
    })
    await service.lookup('people', 'amara-okafor', key)
    await service.lookup('people', 'amara-okafor', key)
    await service.lookup('people', 'harun-demirel', service.demo.live_key)
    failedId = (await service.lookup('people', 'salma-idrissi', key)).headers.get('x-request-id') ?? ''
    const hook = { project: 'demo', environment: null, url: 'https://receiver.example/', events: ['credits.low'] }
    const { id } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
    await service.admin('PATCH', `/webhooks/${id}`, { state: 'paused' })
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })
  beforeEach(async () => {
    await goTo(watched.page, '#/overview')
    operator = new Operator(watched.page)
  })

  test('why did this call fail?', async () => {
    await operator.find(failedId, /^Call/)
    await operator.sees(/monthly ceiling is reached: 2 of 2 credits are spent or held.* It renews on/)
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('who viewed this record?', async () => {
    await operator.find('amara okafor', /^Person/)
    await operator.link('Audit entries of this record')
    await operator.sees('record.show')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('was he billed twice?', async () => {
    await operator.find('amara okafor', /^Person/)
    await operator.click(watched.page.locator('main').getByRole('link', { name: 'Calls' }))
    await operator.sees('demo/production paid 2 times, 2 credits')
    expect(operator.clicks).toBe(2)
  })

  test('how is a key rotated without downtime?', async () => {
    await operator.find('nightly import', /^Key/)
    await operator.button('Rotate')
    await operator.button('Rotate key')
    await watched.page
      .getByRole('dialog')
      .getByText(/vt_live_/)
      .first()
      .waitFor()
    await watched.page.getByRole('button', { name: 'I have copied it' }).click()
    await operator.sees('Follows')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('is this provider worth it?', async () => {
    await operator.link('Providers')
    await operator.link('Scorecard')
    await operator.sees('Directory of files')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('how is somebody erased?', async () => {
    const { page } = watched
    await operator.find('harun demirel', /^Person/)
    await operator.button('Erase')
    await page.getByLabel('Reason').fill('request 17')
    await page.getByLabel(/^Type /).fill('harun-demirel')
    await operator.button('Erase for good')
    await page
      .getByRole('dialog')
      .getByText(/hashes keep it out/)
      .waitFor()
    await page.getByRole('button', { name: 'To the records' }).click()
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('which webhook fails, and what can be done?', async () => {
    await operator.link('receiver.example')
    await operator.sees('paused by an operator')
    await operator.button('Resume')
    await operator.sees('active')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('how does a colleague get in?', async () => {
    const { page } = watched
    await operator.find('colleague', /^Page/)
    await operator.button('New token')
    await page.getByLabel('Label').fill('Noor')
    await operator.button('Make token')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await operator.sees('Noor')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })

  test('what needs attention?', async () => {
    await operator.sees('A key of demo/production has reached its ceiling of the month.')
    await operator.link('Raise the ceiling: nightly import')
    await watched.page.getByRole('dialog').getByLabel('Monthly ceiling').waitFor()
    await watched.page.keyboard.press('Escape')
    expect(operator.clicks).toBeLessThanOrEqual(clicksAtMost)
  })
})
