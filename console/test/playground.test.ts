import { headers as contractHeaders } from '@vitae/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the playground of the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('the playground', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched

  beforeAll(async () => {
    service = await startService()
    browser = await openBrowser(chromium ?? '')
  })
  beforeEach(async () => {
    watched = await signedIn(browser, service)
    await goTo(watched.page, '#/playground')
    await watched.page.getByLabel('API key').fill(service.demo.test_key)
  })
  afterEach(async () => {
    expect(watched.complaints).toEqual([])
    await watched.close()
  })
  afterAll(() => service?.close())

  const send = async () => {
    await watched.page.getByRole('button', { name: 'Send' }).click()
    await watched.page.getByRole('region', { name: 'body of the answer' }).getByText('"member_urn"').waitFor()
  }

  test('sends the shown request, with the key and without the session', async () => {
    const { page } = watched
    await page.getByLabel('include_contact_info').check()
    await page.getByLabel('max_age_days').fill('3')
    const sent = page.waitForRequest((request) => request.url().includes('/v1/'))
    await send()
    const request = await sent

    expect(new URL(request.url()).search).toBe('?profile_id=sample-complete&include_contact_info=true&max_age_days=3')
    expect(request.headers()['apikey']).toBe(service.demo.test_key)
    expect(await request.headerValue('cookie')).toBeNull()
    await page.getByRole('button', { name: 'Show card' }).click()
    await page.getByRole('heading', { name: 'Experience' }).waitFor()
  })

  test('explains every contract header of the answer', async () => {
    const { page } = watched
    const answer = await service.lookup('people', 'sample-complete', service.demo.test_key)
    const expected = Object.keys(contractHeaders).filter((name) => answer.headers.has(name))

    await send()
    const names = page.getByRole('table', { name: 'Headers of the answer' }).getByRole('rowheader')

    await expect.poll(async () => (await names.allTextContents()).toSorted()).toEqual(expected.toSorted())
  })

  test('shows curl and client code that name the key variable and never the key', async () => {
    const { page } = watched
    await page.getByLabel('include_contact_info').check()
    await page.getByLabel('max_age_days').fill('3')

    const curl = page.getByRole('region', { name: 'curl command' })
    await expect.poll(() => curl.textContent()).toContain('max_age_days=3')
    const client = await page.getByRole('region', { name: 'client code' }).textContent()

    expect(await curl.textContent()).toContain('$VITAE_KEY')
    expect(client).toContain('vitae.people.profile("sample-complete", { includeContactInfo: true, maxAgeDays: 3 })')
    expect(`${await curl.textContent()}${client}`).not.toContain(service.demo.test_key)
  })

  test('matches by known facts, shows the likelihood, and puts none of the facts into a URL', async () => {
    const { page } = watched
    await page.getByLabel('Endpoint').selectOption('people match')
    await page.getByLabel('email').fill('sample-complete@example.com')
    const sent = page.waitForRequest((request) => request.url().includes('/v1/'))
    await send()
    const request = await sent
    await page.getByText(/Likelihood [01]\.\d\d: email agreed\./).waitFor()
    await page.getByLabel('Endpoint').selectOption('companies match')
    await page.getByLabel('domain').fill('example.com')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('region', { name: 'body of the answer' }).getByText('"company_id"').first().waitFor()

    expect([request.method(), new URL(request.url()).pathname, new URL(request.url()).search]).toEqual([
      'POST',
      '/v1/people/match',
      '',
    ])
    expect(request.postDataJSON()).toEqual({ email: 'sample-complete@example.com' })
    expect(page.url()).not.toContain('sample')
    const curl = page.getByRole('region', { name: 'curl command' })
    await expect.poll(() => curl.textContent()).toContain(`-d '{"domain":"example.com"}'`)
  })

  test.each([
    ['sample-not-found@example.com', 'Nobody matches with enough certainty. Nothing was charged.'],
    ['sample-ambiguous@example.com', 'More than one record matches. Nothing was charged.'],
  ])('explains in a sentence why %s is not a match', async (email, sentence) => {
    const { page, complaints } = watched
    await page.getByLabel('Endpoint').selectOption('people match')
    await page.getByLabel('email').fill(email)
    await page.getByRole('button', { name: 'Send' }).click()

    await page.getByText(sentence).waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')])
  })

  test('explains a bare refusal in words', async () => {
    const { page, complaints } = watched
    await page.getByLabel('profile_id').fill('sample-out-of-credits')
    await page.getByRole('button', { name: 'Send' }).click()

    await page
      .getByText('The environment has no credits left, or its monthly budget is spent. Nothing was charged.')
      .waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('402')])
  })

  test('spends nothing with a live key before confirmation', async () => {
    const { page } = watched
    await page.getByLabel('Endpoint').selectOption('companies')
    await page.getByLabel('company_id').fill('tidewater-robotics')
    await page.getByLabel('API key').fill(service.demo.live_key)
    const pay = page.getByRole('button', { name: 'Send, and spend credits' })
    await page.getByText('This is a live key').waitFor()
    await expect.poll(() => pay.isDisabled()).toBe(true)
    await page.getByLabel('company_id').press('Enter')

    await page.getByLabel('Spend credits with this key').check()
    await pay.click()
    await page.getByRole('row', { name: /X-Credits-Charged 1/ }).waitFor()
    const { balance } = await service.admin<{ balance: number }>(
      'GET',
      '/credits/balance?project=demo&environment=production',
    )

    expect(balance).toBe(999)
  })

  test('stores the key nowhere', async () => {
    const { page } = watched
    await send()
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))

    await goTo(page, '#/overview')
    await goTo(page, '#/playground')

    expect(kept).not.toContain('vt_')
    await expect.poll(() => page.getByLabel('API key').inputValue()).toBe('')
  })
})
