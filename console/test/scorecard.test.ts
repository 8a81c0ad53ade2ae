import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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
    const headline = page.getByRole('row', { name: /^headline1 of 1|^headline/ }).last()
    await expect.poll(() => headline.textContent()).toContain('1 of 1')
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
    const other = card.locator('p', { hasText: 'harvestapi' }).first()
    await expect.poll(() => other.textContent()).toMatch(/ harvestapi, (now|.* ago)$/)
    await expect.poll(() => card.locator('.origin').count()).toBeGreaterThan(5)
    expect(complaints).toEqual([])
    await close()
  })

  test('a field that a provider stopped filling has a badge with both rates, and the overview leads to it', async () => {
    const today = Date.now() - (Date.now() % 86_400_000)
    const store = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 300_000 })
    const note = store.prepare('insert or replace into fill_days values (?, ?, ?, ?, ?, ?)')
    for (const ago of [3, 2, 1])
      note.run(today - ago * 86_400_000, 'mirror', 'people', 40, JSON.stringify({ headline: 40 }), '[]')
    const drifted = JSON.stringify([{ unit: 'headline', usual: 1, now: 0.1 }])
    note.run(today, 'mirror', 'people', 60, JSON.stringify({ headline: 6 }), drifted)
    onTestFinished(() => {
      store.exec('delete from fill_days')
      store.close()
    })
    const { page, complaints, close } = await signedIn(browser, service)
    const item = page.getByRole('listitem').filter({ hasText: 'lack fields' })
    await expect.poll(() => item.textContent()).toContain('headline 10 % (usually 100 %)')
    await item.getByRole('link', { name: 'See the provider' }).click()
    await page.getByRole('link', { name: 'Scorecard' }).click()
    const map = page.getByRole('region', { name: 'People: fill rate of each field' })
    const row = map.getByRole('row', { name: /^headline/ })

    await row.locator('.badge.warning', { hasText: 'now 10 %, usually 100 %' }).waitFor()
    await row.getByRole('img', { name: 'From 100 % to 10 % in 4 days with answers' }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('fields that the provider does not supply are named once, and none that the card can show', async () => {
    const { page, close } = await signedIn(browser, service)
    const { supplied } = await service.admin<{ supplied: Record<string, string> }>('GET', '/records/people/ada')
    await goTo(page, '#/records/people/ada')
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Not supplied by this provider' }) })
    await panel
      .locator('li')
      .filter({ hasText: /^industry$/ })
      .waitFor()
    const named = await panel.locator('li').allTextContents()

    const inside = (path: string) => Object.keys(supplied).filter((other) => other.startsWith(`${path}.`))
    expect(named.filter((path) => [path, ...inside(path)].some((one) => supplied[one] === 'supplied'))).toEqual([])
    expect(named.filter((path) => inside(path).some((one) => named.includes(one)))).toEqual([])
    await close()
  })
})
