import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { directoryPerson } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: what operators do in the console, because there is no chromium on the path.')

const longName = 'aProjectWhoseNameHasNoPlaceToBreakAndGoesOnAndOnAndOnAndOnAndOn'
const longLabel = 'very'.repeat(40)
const work = { title: 'On tides', name: null, company: null, position_held: null }

describe.skipIf(!chromium)('operators in the console', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let page: Page

  beforeAll(async () => {
    service = await startService()
    await plant(service)
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    page = watched.page
  })
  afterEach(() => page.setViewportSize({ width: 1_280, height: 800 }))
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })
  const names = () => page.locator('tbody th').allTextContents()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  const newKey = () => page.getByRole('button', { name: 'New key' })

  test('find records by surname, company and URL, filter them, and return to the same list', async () => {
    await goTo(page, '#/records')
    await page.getByRole('searchbox', { name: 'Find' }).fill('okafor')
    await page.getByRole('searchbox', { name: 'Find' }).press('Enter')
    await page.locator('main[data-address*="text=okafor"]:not(:has(.loading))').waitFor()
    await expect.poll(names).toEqual(['Amara Okafor'])
    await page.getByLabel('Kind').selectOption('People')
    await page.locator('main[data-address*="kind=people"]:not(:has(.loading))').waitFor()
    await page.goBack()
    await page.locator('main[data-address="#/records?text=okafor"]:not(:has(.loading))').waitFor()
    await page.goForward()
    await page.locator('main[data-address*="kind=people"]:not(:has(.loading))').waitFor()
    await page.getByRole('link', { name: 'Amara Okafor' }).click()
    await page.getByRole('heading', { name: 'Amara Okafor', level: 1 }).waitFor()
    await page.locator('.back').click()
    await page.locator('main[data-address="#/records?text=okafor&kind=people"]:not(:has(.loading))').waitFor()

    const [amara, salma, harun] = ['Amara Okafor', 'Salma Idrissi', 'Harun Demirel']
    for (const [query, found] of [
      ['text=https%3A%2F%2Fwww.linkedin.com%2Fin%2Famara-okafor%2F', [amara]],
      ['text=OK%C3%81FOR', [amara]],
      ['text=robotics&kind=people', [amara]],
      ['text=urn%3Ali%3Amember%3A900000101', [amara]],
      ['text=okafor&kind=companies', []],
      ['text=okafor&age=over-30d', []],
      ['text=okafor&age=under-7d', [amara]],
      ['text=okafor&provider=import', [amara]],
      ['text=okafor&provider=nobody', []],
      ['kind=people', [harun, salma, amara]],
      ['kind=people&order=oldest', [amara, salma, harun]],
      ['kind=people&thin=true', [harun]],
      ['kind=people&thin=false', [salma, amara]],
    ] as const) {
      await goTo(page, `#/records?${query}`)
      await expect.poll(names, { message: query }).toEqual(found)
    }
  })

  test('page through many keys and projects, search them in the store, and return to the previous page', async () => {
    await goTo(page, '#/projects/keys?project=many&order=oldest')
    await expect.poll(names).toHaveLength(50)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.locator('main[data-address*="cursor="]:not(:has(.loading))').waitFor()
    await expect.poll(names).toHaveLength(10)
    await page.goBack()
    await page.locator('main[data-address="#/projects/keys?project=many&order=oldest"]:not(:has(.loading))').waitFor()
    await expect.poll(names).toHaveLength(50)
    await goTo(page, '#/projects/keys?text=number-59')
    await expect.poll(names).toEqual([expect.stringContaining('number-59')])
    await goTo(page, '#/projects')
    await expect.poll(() => page.locator('.panel-head h2').count()).toBeLessThanOrEqual(10)
    await expect.poll(() => page.evaluate(() => document.body.scrollHeight)).toBeLessThan(12_000)
    await goTo(page, '#/projects?text=many')
    await page.getByRole('link', { name: 'More keys of this project' }).waitFor()
  })

  test('see an expired key as not active', async () => {
    const of = { project: 'expiring', environment: 'production', mode: 'test' }
    await service.admin('POST', '/keys', { ...of, label: 'over', expires_at: '2020-01-01' })
    await goTo(page, '#/projects?text=expiring')
    await page.getByText('This project has no working key.').waitFor()
    await expect
      .poll(() => page.getByRole('row', { name: 'production' }).getByRole('cell').nth(2).textContent())
      .toBe('0')
    await goTo(page, '#/projects/keys?project=expiring')
    await expect
      .poll(() => page.getByRole('row', { name: 'over' }).locator('[data-label=State]').textContent())
      .toBe('expired')
  })

  test('delete a project made by mistake, and see why one in use stays', async () => {
    await service.admin('POST', '/projects', { name: 'typpo', environments: ['production'] })
    await service.admin('POST', '/projects', { name: 'granted', environments: ['production'] })
    await service.admin('POST', '/credits/grants', { project: 'granted', environment: 'production', amount: 5 })
    const remove = async (name: string) => {
      await goTo(page, `#/projects?text=${name}`)
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await page.getByLabel(`Type ${name} to confirm`).fill(name)
      await page.getByRole('button', { name: 'Delete project' }).click()
    }
    await remove('granted')
    const alert = page.getByRole('dialog').getByRole('alert')
    await expect.poll(() => alert.textContent()).toMatch(/ledger has entries/)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await remove('typpo')
    await page.getByText('No project matches.').waitFor()
    // The pressed button is gone with its project.
    await expect.poll(focused).toBe('Projects and keys')
  })

  test('create a key from the list; it stays shown at Escape, and the focus returns to the button', async () => {
    await goTo(page, '#/projects?text=many')
    await newKey().click()
    await page.getByRole('dialog').getByLabel('Project').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(focused).toBe('New key')

    await newKey().click()
    await page.getByRole('dialog').getByLabel('Project').selectOption('demo')
    await page.getByRole('button', { name: 'Make key' }).click()
    const key = page.getByRole('region', { name: 'the key' })
    await key.waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    // The browser closes it at the second Escape, and the console opens it again.
    await expect.poll(() => key.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await expect.poll(focused).toBe('New key')
  })

  test('download an export with its own name, and see an ended session', async () => {
    const other = await signedIn(browser, service)
    await goTo(other.page, '#/records/people/amara-okafor')
    const [file] = await Promise.all([
      other.page.waitForEvent('download'),
      other.page.getByRole('button', { name: 'Export' }).click(),
    ])
    await other.page.context().clearCookies()
    await other.page.getByRole('button', { name: 'Export' }).click()
    await other.page.getByText('The session has ended. Sign in again.').waitFor()

    expect(file.suggestedFilename()).toBe('people-amara-okafor.html')
    await other.close()
  })

  test('see each name once: of a record in its title, of the owner without the role', async () => {
    await service.lookup('people', 'salma-idrissi', service.demo.live_key)
    const { page, close } = await signedIn(browser, service)
    await goTo(page, '#/records/people/salma-idrissi')
    const headings = page.locator('main :is(h1, h2, h3)').filter({ hasText: /^Salma Idrissi$/ })

    await expect.poll(() => page.locator('main h1').textContent()).toBe('Salma Idrissi')
    await expect.poll(() => headings.count()).toBe(1)
    await expect.poll(() => page.locator('.who').textContent()).toBe('ownerall projects')
    await close()
  })

  test('see the same person in two tabs of one browser', async () => {
    const { token } = await service.admin<{ token: string }>('POST', '/tokens', { label: 'eyes', role: 'viewer' })
    const first = await signedIn(browser, service)
    const second = await first.page.context().newPage()
    await second.goto(`${service.url}/console`)
    await second.getByRole('button', { name: 'Sign out' }).click()
    await first.page.getByLabel('Admin token').waitFor()
    await second.getByLabel('Admin token').fill(token)
    await second.getByRole('button', { name: 'Sign in' }).click()

    await first.page.getByText('viewer, all projects').waitFor()
    await expect.poll(() => first.page.locator('.who').textContent()).toBe('eyesviewer, all projects')
    await first.close()
  })

  test('see a failed sign-out without a connection', async () => {
    const other = await signedIn(browser, service)
    await other.page.context().setOffline(true)
    await other.page.getByRole('button', { name: 'Sign out' }).click()

    const said = other.page.getByText('You are still signed in: The service cannot be reached.')
    await said.waitFor()
    await expect.poll(() => said.count()).toBe(1)
    await other.close()
  })

  test('see a failure once, in words', async () => {
    await goTo(page, '#/projects?text=many')
    await newKey().click()
    const refused = async (field: string, text: string) => {
      await page.getByRole('dialog').getByLabel(field).fill(text)
      await page.getByRole('button', { name: 'Make key' }).click()
      const alert = page.getByRole('alert').filter({ hasText: new RegExp(`^${field.slice(0, 4)}`, 'i') })
      const said = (await alert.textContent()) ?? ''
      await page.getByRole('dialog').getByLabel(field).fill('')
      return said
    }
    const alerts = [await refused('Rate limit', 'nonsense'), await refused('Label', 'x'.repeat(300))]
    await page.keyboard.press('Escape')

    for (const alert of alerts) {
      expect(alert).not.toMatch(/body|pattern|schema/)
      expect(alert.match(/must/g)?.length ?? 0, alert).toBeLessThanOrEqual(1)
    }
  })

  test('see names in a list broken only between parts, with the full name as tooltip', async () => {
    const places = { td: { title: `${longName}/production`, lines: 2 }, th: { title: longLabel, lines: 1 } }
    for (const width of [320, 800, 1_600]) {
      await page.setViewportSize({ width, height: 800 })
      await goTo(page, '#/projects/keys?text=very')
      for (const [place, { title, lines }] of Object.entries(places)) {
        const word = page.locator(`tbody ${place} .word`).first()
        const { height, lineHeight } = await word.evaluate((element) => {
          return { height: element.clientHeight, lineHeight: Number.parseFloat(getComputedStyle(element).lineHeight) }
        })
        await expect.poll(() => word.getAttribute('title')).toBe(title)
        await expect.poll(() => word.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
        expect(Math.round(height / lineHeight), 'lines').toBe(lines)
      }
    }
  })

  test('see the first of many filters and those in use, and the others on request, as choices', async () => {
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 844 })
      await goTo(page, '#/projects')
      await goTo(page, '#/calls?status=402')
      const shown = () => page.locator('.filters .field:visible').count()
      await expect.poll(shown).toBe(3)

      await page.getByRole('button', { name: 'More filters', expanded: false }).click()
      await expect.poll(shown).toBe(10)
      await page.getByLabel('Key', { exact: true }).locator('option').nth(1).waitFor({ state: 'attached' })
      await page.getByLabel('Code').selectOption('out_of_credits')
      await page.locator('main[data-address="#/calls?status=402&code=out_of_credits"]:not(:has(.loading))').waitFor()
      await page.getByRole('button', { name: 'Fewer filters', expanded: true }).click()
      await expect.poll(shown).toBe(4)
    }
  })

  test('see all numbers beside long names', async () => {
    for (const hash of [`#/projects?text=${longName}`, '#/projects/keys?text=very', '#/calls', '#/audit'])
      for (const width of [1_024, 1_600]) {
        await page.setViewportSize({ width, height: 800 })
        await goTo(page, hash)
        const hidden = () =>
          page.evaluate(() =>
            Math.max(
              0,
              ...[...document.querySelectorAll('.table-wrap')].map((wrap) => wrap.scrollWidth - wrap.clientWidth),
            ),
          )
        await expect.poll(hidden, { message: `${hash} at ${width}` }).toBeLessThanOrEqual(0)
      }
  })

  test('see a publication and a patent with a day and no end', async () => {
    await goTo(page, '#/records/people/amara-okafor')
    for (const title of ['Publications', 'Patents']) {
      const section = page.locator('.card-section', { hasText: title })
      await expect.poll(() => section.textContent()).toContain('2021')
      expect(await section.textContent()).not.toContain('now')
    }
  })

  test('see by name who viewed a record in the audit log', async () => {
    await goTo(page, '#/records/people/amara-okafor')
    await page.getByRole('link', { name: 'Audit entries of this record' }).click()
    const row = page.getByRole('row').filter({ hasText: 'record.show' }).first()

    await expect.poll(() => row.textContent()).toMatch(/owner.*Amara Okafor/)
    const subjects = async () => new Set(await page.locator('tbody [data-label=Subject]').allTextContents())
    await expect.poll(subjects).toEqual(new Set(['Amara Okafor']))
  })

  test('see the invalid line of a suppression list', async () => {
    await goTo(page, '#/suppressions')
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.getByLabel('Slugs, URLs or ids').fill('fine-one\n\nhttps://example.com/x\n')
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click()
    const alert = await page.getByRole('alert').textContent()
    await page.keyboard.press('Escape')

    expect(alert).toContain('Line 3, https://example.com/x')
  })

  test('see a finished reprojection not as a used-up limit', async () => {
    await goTo(page, '#/records')
    await page.getByRole('button', { name: 'Reproject' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reproject' }).click()
    await page.getByText(/done, .* changed/).waitFor()
    const tone = await page.getByRole('meter').getAttribute('class')
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()

    expect(tone).not.toContain('danger')
  })
})

/**
 * A person with a publication and a patent, two others, a project with 60 keys, eleven others, and unbreakable names.
 */
async function plant(service: TestService): Promise<void> {
  const person = directoryPerson('amara-okafor')
  const date = { year: 2021, month: 3, day: null, iso: '2021-03' }
  const works = [{ ...work, date_range: { start: date, end: null } }]
  const lines = [JSON.stringify({ ...person, publications: works, patents: works })]
  await service.admin('POST', '/records/import', { kind: 'people', fetched_at: '0s', lines })
  for (const slug of ['salma-idrissi', 'harun-demirel']) await service.lookup('people', slug, service.demo.live_key)
  const key = { environment: 'production', mode: 'test' }
  for (let count = 0; count < 60; count++)
    await service.admin('POST', '/keys', { ...key, project: 'many', label: `number-${count}` })
  for (let count = 0; count < 11; count++) await service.admin('POST', '/projects', { name: `project-${count}` })
  await service.admin('POST', '/keys', { ...key, project: longName, label: longLabel })
}
