import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractPerson } from '../../service/fake-provider/contract-person.ts'
import type { FakeProvider } from '../../service/fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../service/fake-provider/start-fake-provider.ts'
import { findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: the scorecard in the console, because there is no chromium on the path.')

describe.skipIf(!chromium)('provider scorecard', () => {
  let service: TestService
  let browser: Browser
  const fakes: FakeProvider[] = []

  beforeAll(async () => {
    const ada = { ...contractPerson('ada'), headline: 'Keeper of clocks' }
    const first = await startFakeProvider({ provider: 'mirror', people: { ada } })
    const second = await startFakeProvider({ provider: 'harvestapi' })
    fakes.push(first, second)
    service = await startService({
      ...{ VITAE_UPSTREAM: 'mirror,harvestapi', VITAE_MIRROR_COST: '0.07', VITAE_CURRENCY: 'EUR' },
      ...{ VITAE_MIRROR_URL: first.url, VITAE_MIRROR_KEY: first.key },
      ...{ VITAE_HARVESTAPI_URL: second.url, VITAE_HARVESTAPI_KEY: second.key },
    })
    await service.lookup('people', 'ada', service.demo.live_key)
    await first.setFault(401)
    await service.lookup('people', 'ada', service.demo.live_key, '&bypass_cache=true')
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(async () => {
    await service?.close()
    for (const fake of fakes) await fake.close()
  })

  test('the scorecard shows cost per usable record, fill rates, fields of one provider alone and disagreements', async () => {
    const { page, complaints, close } = await signedIn(browser, service, { viewport: { width: 320, height: 800 } })
    await goTo(page, '#/providers/scorecard?range=week')
    const row = page.getByRole('row', { name: /^Another Vitae/ }).first()
    const map = page.getByRole('region', { name: 'People: fill rate of each field' })

    await expect.poll(() => row.textContent()).toMatch(/1 rejected.*0\.035 EUR.*0\.07 EUR/)
    await expect.poll(() => map.getByRole('row', { name: /^headline/ }).textContent()).toBe('headline100 %100 %')
    await expect.poll(() => map.getByRole('row', { name: /^industry/ }).textContent()).toBe('industry100 %alone0 %')
    expect(
      await page
        .getByRole('row', { name: /^headline1 of 1|^headline/ })
        .last()
        .textContent(),
    ).toContain('1 of 1')
    await page.getByLabel('Inner fields').first().check()
    await expect.poll(() => map.getByRole('row', { name: /^experience\.positions\.title/ }).count()).toBe(1)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(320)
    expect(complaints).toEqual([])
    await close()
  })

  test('the page of a record shows provider and age beside each value', async () => {
    const { page, complaints, close } = await signedIn(browser, service)
    await goTo(page, '#/records/people/ada')
    const card = page.locator('article.card')
    const { industry } = contractPerson('ada')

    await expect
      .poll(() => card.locator('p', { hasText: industry ?? '' }).textContent())
      .toMatch(/ mirror, (now|.* ago)$/)
    expect(await card.locator('p', { hasText: 'harvestapi' }).first().textContent()).toMatch(
      / harvestapi, (now|.* ago)$/,
    )
    expect(await card.locator('.origin').count()).toBeGreaterThan(5)
    expect(complaints).toEqual([])
    await close()
  })

  test('fields that the provider does not supply are named once, and none that the card can show', async () => {
    const { page, close } = await signedIn(browser, service)
    const { supplied } = await service.admin<{ supplied: Record<string, string> }>('GET', '/records/people/ada')
    await goTo(page, '#/records/people/ada')
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Not supplied by this provider' }) })
    const named = await panel.locator('li').allTextContents()

    expect(named).toContain('industry')
    const inside = (path: string) => Object.keys(supplied).filter((other) => other.startsWith(`${path}.`))
    expect(named.filter((path) => [path, ...inside(path)].some((one) => supplied[one] === 'supplied'))).toEqual([])
    expect(named.filter((path) => inside(path).some((one) => named.includes(one)))).toEqual([])
    await close()
  })
})
