import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the forms of the console, because there is no chromium on the path.')
const place = '#/projects/in/demo/production'
const where = 'project=demo&environment=production'

interface Balance {
  monthly_budget?: number
  recurring_credits?: number
  recurring_carry_over?: boolean
}

describe.skipIf(!chromium)('forms of the console', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    await service.admin('POST', '/projects', { name: 'acme', environments: ['production'] })
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  beforeEach(() => void watched.complaints.splice(0))
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const dialog = () => page.getByRole('dialog')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const save = async (name = 'Save') => {
    await dialog().getByRole('button', { name, exact: true }).click()
    await dialog().waitFor({ state: 'detached' })
  }
  const balance = () => service.admin<Balance>('GET', `/credits/balance?${where}`)

  test('a budget is set and removed', async () => {
    await goTo(page, place)
    await press('Change the budget')
    await dialog().getByLabel('Credits per month').fill('750')
    await dialog().getByLabel('Reason').fill('a quiet month')
    await save()
    await page.getByText('750 credits for all its keys together').waitFor()
    const set = await balance()

    await press('Change the budget')
    await dialog().getByLabel('Credits per month').fill('')
    await save()
    await page.getByText('none: its keys may spend all that is available.').waitFor()

    expect(set.monthly_budget).toBe(750)
    expect(await balance()).not.toHaveProperty('monthly_budget')
    expect(watched.complaints).toEqual([])
  })

  test('monthly credits are set, with the carry-over of the rest', async () => {
    await goTo(page, place)
    await press('Change the monthly credits')
    await dialog().getByLabel('Credits each month').fill('1200')
    await dialog().getByLabel('What is not spent stays').check()
    await save()

    await page.getByText('1,200 credits on the 1st of each month; what is not spent stays.').waitFor()
    expect(await balance()).toMatchObject({ recurring_credits: 1200, recurring_carry_over: true })
  })

  test('alerts are set, and a refusal stays in the form with its reason', async () => {
    await goTo(page, place)
    await press('Change the alerts')
    await dialog().getByLabel('Notify below').fill('40')
    await dialog().getByLabel('Notify at this share').fill('101')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByRole('alert').waitFor()
    await dialog().getByLabel('Notify at this share').fill('90')
    await save()

    await page.getByText('below 40 credits, and when 90 % of a key’s ceiling is spent.').waitFor()
    const set = await service.admin('GET', `/alerts?${where}`)
    expect(set).toMatchObject({ credits_below: 40, ceiling_percent: 90 })
  })

  test('ceilings of a key are set', async () => {
    const made = await service.admin<{ id: string }>('POST', '/keys', {
      project: 'demo',
      environment: 'production',
      mode: 'live',
    })
    await goTo(page, `#/projects/key/${made.id}`)
    await press('Edit')
    await dialog().getByLabel('Monthly ceiling').fill('300')
    await dialog().getByLabel('Daily ceiling').fill('20')
    await save()

    const key = await service.admin('GET', `/keys/${made.id}`)
    expect(key).toMatchObject({ ceiling: 300, daily_ceiling: 20 })
  })

  test('an old key links to its successor, and the signed-in user has a name', async () => {
    const place = { project: 'demo', environment: 'production', mode: 'live' }
    const old = await service.admin<{ id: string }>('POST', '/keys', place)
    const next = await service.admin<{ id: string }>('POST', `/keys/${old.id}/rotate`, { overlap: '1h' })
    await goTo(page, `#/projects/key/${old.id}`)
    await page.locator('dd').getByRole('link', { name: next.id }).click()
    await page.locator('dd').getByRole('link', { name: old.id }).waitFor()
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', {
      role: 'viewer',
      label: 'night watch',
    })
    const other = await signedIn(browser, service, { token })
    onTestFinished(other.close)
    await other.page.locator('.who').getByText('night watch').waitFor()
    await goTo(page, '#/sessions')

    await expect.poll(() => page.getByRole('rowheader', { name: 'night watch' }).count()).toBe(1)
  })

  test('prices are checked with the line of each problem, set, and shown', async () => {
    await goTo(page, '#/prices')
    await press('Set prices')
    await dialog().getByLabel('Price document').fill('{\n  "lines": [\n    {"credits": -1}\n  ]\n}')
    await dialog().getByRole('button', { name: 'Check' }).click()
    await dialog().getByText('Line 1: every call → credits must be a whole number').waitFor()
    await dialog()
      .getByLabel('Price document')
      .fill('{"lines": [{"kind": "companies", "credits": 3}, {"credits": 2}], "parts": []}')
    await dialog().getByRole('button', { name: 'Check' }).click()
    await save('Set this book')

    await page.getByRole('row', { name: 'Book 1' }).waitFor()
    const { books } = await service.admin<{ books: { lines: object[] }[] }>('GET', '/prices/history')
    expect(books[0]?.lines).toHaveLength(2)
  })

  test('the project of a list is chosen, and so are the providers of an environment', async () => {
    for (const hash of ['#/calls', '#/spend', '#/webhooks', '#/batches', '#/watches', '#/projects/keys']) {
      await goTo(page, hash)
      await page.getByLabel('Project', { exact: true }).selectOption('acme')
      await page.waitForURL(/project=acme/)
    }
    await goTo(page, '#/projects/in/acme/production')
    await press('Change')
    await dialog().getByLabel('Asked first').selectOption('directory')
    await save()

    await page.getByText('directory, and no others').waitFor()
    const { environments } = await service.admin<{ environments: object[] }>('GET', '/projects/acme')
    expect(environments).toMatchObject([{ name: 'production', providers: ['directory'] }])
  })

  test('errors are shown without terminal commands', async () => {
    await goTo(page, '#/projects/key/key_nobody')
    const alert = page.getByRole('alert').filter({ hasText: 'There is no key key_nobody.' })

    expect(await alert.textContent()).not.toContain('vitae ')
  })

  test('a form survives an ended session, hidden until the same person signs in again', async () => {
    const own = await signedIn(browser, service)
    onTestFinished(own.close)
    await goTo(own.page, '#/projects')
    await own.page.getByRole('button', { name: 'New project' }).click()
    await own.page.getByLabel('Name', { exact: true }).fill('typed-before')
    await own.page.context().clearCookies()
    await own.page.getByRole('button', { name: 'Make project' }).click()
    await own.page.getByText('The session has ended. Sign in again.').waitFor()
    await own.page.getByLabel('Name', { exact: true }).waitFor({ state: 'hidden' })
    await own.page.getByLabel('Admin token').fill(service.ownerToken)
    await own.page.getByRole('button', { name: 'Sign in' }).click()
    await own.page.getByRole('button', { name: 'Make project' }).click()
    await own.page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await service.admin('GET', '/projects/typed-before')).toMatchObject({ name: 'typed-before' })
  })

  test("one person's input is not shown to the next", async () => {
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'operator', label: 'night' })
    const own = await signedIn(browser, service)
    onTestFinished(own.close)
    await goTo(own.page, '#/projects')
    await own.page.getByRole('button', { name: 'New project' }).click()
    await own.page.getByLabel('Name', { exact: true }).fill('of-the-owner')
    await own.page.context().clearCookies()
    await own.page.getByRole('button', { name: 'Make project' }).click()
    await own.page.getByLabel('Admin token').fill(token)
    await own.page.getByRole('button', { name: 'Sign in' }).click()
    await own.page.getByText('operator, all projects').waitFor()

    await expect.poll(() => own.page.getByLabel('Name', { exact: true }).count()).toBe(0)
  })
})
