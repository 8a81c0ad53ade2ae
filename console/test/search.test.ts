import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the search of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('the search, in the words of people', () => {
  let service: TestService
  let watched: Watched
  let page: Page
  let keyId = ''

  beforeAll(async () => {
    service = await startService()
    const made = await service.admin<{ id: string }>('POST', '/keys', {
      ...{ project: 'demo', environment: 'production', mode: 'live', label: 'crm sync' },
    })
    keyId = made.id
    await fetch(`${service.url}/v1/people/profile?profile_id=amara-okafor`, {
      headers: { apikey: service.demo.live_key, 'x-spend-tag': 'spring-campaign' },
    })
    watched = await signedIn(await openBrowser(chromium ?? ''), service)
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  async function find(text: string): Promise<{ goTo: string[]; does: string[] }> {
    if ((await page.getByRole('dialog').count()) === 0) await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search for anything' }).fill(text)
    await page.getByText(/^(\d+ found|Nothing was found)/).waitFor()
    const within = (title: string) =>
      page.getByRole('group', { name: title }).getByRole('option').locator('.hit-name').allTextContents()
    return { goTo: await within('Go to'), does: await within('Do') }
  }

  test.each([
    ['invite', /^Invite a colleague/],
    ['add user', /^Invite a colleague/],
    ['grant', /^Grant credits/],
    ['refund', /^Grant credits, or take some back/],
    ['budget', /^Set a budget/],
    ['invoice', /^Read the monthly statement/],
    ['usage', /^See usage and spending/],
    ['GDPR', /^(Erase|Export|Suppress)/],
    ['CSV', /^Look up a whole file|^See usage|^Read the monthly/],
    ['how do I erase a person', /^Erase a person/],
  ])('"%s" finds what can be done', async (text, expected) => {
    await expect.poll(async () => (await find(text)).does[0]).toMatch(expected)
  })

  test('a status, a failure code and a spend tag lead to their calls', async () => {
    expect((await find('402')).goTo).toContain('Calls with status 402')
    expect((await find('credit_ceiling_reached')).goTo).toEqual(['credit_ceiling_reached'])
    expect((await find('ceiling reached')).goTo).not.toContain('out_of_credits')
    expect((await find('spring')).goTo).toEqual(['spring-campaign'])
    await page.getByRole('option', { name: 'spring-campaign' }).click()
    await page.getByRole('heading', { name: 'Spend', level: 1 }).waitFor()
    expect(page.url()).toContain('tag=spring-campaign')
  })

  test('letters of a random id find nothing, the id itself does', async () => {
    const letters = keyId.replace(/^\w+?_/, '').slice(0, 2)
    const { goTo: found } = await find(letters)
    expect(found).not.toContain('crm sync')
    expect((await find(keyId)).goTo).toEqual(['crm sync'])
    expect((await find('crm')).goTo).toEqual(['crm sync'])
    await page.keyboard.press('Escape')
  })

  test('"Do" opens the form, and a reload does not open it again', async () => {
    await goTo(page, '#/overview')
    await find('invite')
    const axe = await new AxeBuilder({ page }).setLegacyMode().include('dialog').analyze()
    expect(axe.violations.map(({ id }) => id)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New admin token' }).waitFor()
    expect(page.url()).not.toContain('do=')

    await page.reload()
    await page.getByRole('heading', { name: 'Admin tokens', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'New token' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
