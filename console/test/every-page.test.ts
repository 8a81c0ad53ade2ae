import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyAddress, findChromium, goTo, openBrowser, signedIn } from './browser.ts'
import { fillStore } from './full-store.ts'
import { importJobChange } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: every page of the console, because there is no chromium on the path.')
const dayMs = 86_400_000
const isLong = process.env['VITAE_TEST_LONG'] === '1'
const widths = isLong ? [320, 390, 600, 768, 1_024, 1_280, 1_600] : [320, 768, 1_600]
/** Each width in both schemes, or alternating, because colours seldom change a width. */
const looks = isLong
  ? (['dark', 'light'] as const).flatMap((colorScheme) => widths.map((width) => ({ colorScheme, width })))
  : widths.map((width, index) => ({ colorScheme: index % 2 === 0 ? ('dark' as const) : ('light' as const), width }))
/** Enough for fifty rows as cards on a phone, but not for a list without paging. */
const heightAtMost = 40_000
const person = '#/records/people/amara-okafor'
/** Pages that no list links to, because the store is full of copies. */
const more = [
  person,
  `${person}?tab=history`,
  '#/records/companies/tidewater-robotics',
  '#/projects/in/demo/production',
]
const lists = [
  ...[
    '#/projects',
    '#/projects/keys',
    '#/projects/in/demo/production',
    '#/records',
    '#/watches',
    '#/batches',
    '#/calls',
  ],
  ...['#/webhooks', '#/audit', '#/suppressions', '#/sessions', '#/operations/tokens'],
]

describe.skipIf(!chromium)('every page of the console, with 10,000 rows of everything', () => {
  let service: TestService
  let browser: Browser

  beforeAll(async () => {
    service = await startService({}, undefined, { watchesAtOnce: 1 })
    await importJobChange(service, { before: -20 * dayMs, after: -10 * dayMs })
    await service.lookup('people', 'salma-idrissi', service.demo.live_key)
    await service.lookup('companies', 'tidewater-robotics', service.demo.live_key)
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(() => service?.close())

  test('is no wider than the screen from 320 to 1,600 px in light and dark, and pages its list with links forward and back', async () => {
    const { page, complaints, close } = await signedIn(browser, service, { colorScheme: 'light' })
    await fillStore(service)
    await page.setViewportSize({ width: 1_600, height: 800 })
    const faults: string[] = []
    const shapes: string[] = []
    for await (const { address, shape } of everyAddress(page, more)) {
      shapes.push(shape)
      faults.push(...(await faultsOf(page, address)))
      await page.setViewportSize({ width: 1_600, height: 800 })
    }
    expect(faults).toEqual([])
    expect(shapes).toEqual(expect.arrayContaining(['calls/…', 'projects/key/…', 'operations/tokens', 'batches/new']))
    for (const list of lists) {
      await page.setViewportSize({ width: 1_600, height: 800 })
      await goTo(page, list)
      const first = await rowsOf(page)
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.locator('main[data-address*="cursor="]:not(:has(.loading))').waitFor()
      const second = await rowsOf(page)
      await page.goBack()
      await page.locator(`main[data-address=${JSON.stringify(list)}]:not(:has(.loading))`).waitFor()

      expect(second.length, list).toBeGreaterThan(0)
      expect(
        second.filter((row) => first.includes(row)),
        list,
      ).toEqual([])
      expect(await rowsOf(page), list).toEqual(first)
    }
    expect(complaints).toEqual([])
    await close()
  })
})

/** The names and links that identify the rows of a list. The keys of an environment have no pages. */
function rowsOf(page: Page): Promise<string[]> {
  const rows = page.locator('main table').filter({ hasNotText: 'Working keys' }).locator('tbody tr')
  return rows.evaluateAll((all) =>
    all.map((row) => {
      const links = [...row.querySelectorAll('a')].map((link) => link.getAttribute('href'))
      return [row.querySelector('th')?.textContent, ...links].join(' ')
    }),
  )
}

async function faultsOf(page: Page, address: string): Promise<string[]> {
  const faults: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const { wider, tall } = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement
      return { wider: scrollWidth - innerWidth, tall: scrollHeight }
    })
    if (wider > 0) faults.push(`${wider} px too wide at ${width} in ${colorScheme}`)
    if (tall > heightAtMost) faults.push(`${tall} px high at ${width}`)
  }
  return faults.map((fault) => `${address}: ${fault}`)
}
