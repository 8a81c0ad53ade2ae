import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findChromium, goTo, openBrowser, openPage, signedIn, type Watched } from './browser.ts'
import { importJobChange } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium)
  console.warn('NOT RUN: accessibility and behaviour of the console, because there is no chromium on the path.')
const dayMs = 86_400_000
const person = '#/records/people/amara-okafor'
/** Every page, width and colour scheme. Otherwise colours are checked on a few pages that have all elements. */
const long = process.env['VITAE_TEST_LONG'] === '1'
const contrastPages = new Set(['#/overview?time=30d', '#/projects', person, '#/providers'])
const hashes = [
  '#/overview?time=30d',
  '#/projects',
  '#/projects/keys',
  '#/projects/in/demo/production',
  '#/records',
  person,
  `${person}?tab=history`,
  `${person}?tab=json`,
  `${person}?tab=raw`,
  '#/records/companies/tidewater-robotics',
  '#/calls',
  '#/spend?by=tag',
  '#/webhooks',
  '#/watches',
  '#/batches',
  '#/batches/new',
  '#/providers',
  '#/providers/scorecard',
  '#/audit',
  '#/suppressions',
  '#/sessions',
  '#/operations/settings',
  '#/operations/doctor',
  '#/operations/backups',
  '#/operations/retention',
  '#/operations/tokens',
  '#/playground',
]

describe.skipIf(!chromium)('accessibility and behaviour of the console', () => {
  let service: TestService
  let browser: Browser
  /** A signed-in page, shared by all tests that need nothing else. */
  let watched: Watched
  let page: Page
  let receipt = ''
  let keyId = ''

  beforeAll(async () => {
    service = await startService()
    await importJobChange(service, { before: -20 * dayMs, after: -10 * dayMs })
    const answer = await service.lookup('people', 'salma-idrissi', service.demo.live_key)
    receipt = answer.headers.get('x-request-id') ?? ''
    await service.lookup('companies', 'tidewater-robotics', service.demo.live_key)
    await service.admin('POST', '/suppressions', { kind: 'people', ids: ['nobody-at-all'], reason: 'a test' })
    const { keys } = await service.admin<{ keys: { id: string }[] }>('GET', '/keys')
    keyId = keys[0]?.id ?? ''
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service, { colorScheme: 'light' })
    page = watched.page
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  const allPages = () => [...hashes, `#/calls/${receipt}`, `#/projects/key/${keyId}`]

  test('axe finds nothing on any page, in light and dark', async () => {
    for (const hash of allPages()) {
      await goTo(page, hash)
      const contrast = long || contrastPages.has(hash)
      expect(await violations(page, { contrast }), hash).toEqual([])
      if (contrast) {
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await violations(page, { rules: ['color-contrast'] }), `${hash} in dark`).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
      }
    }
    expect(watched.complaints).toEqual([])
  })

  test.each(long ? (['light', 'dark'] as const) : (['dark'] as const))(
    'axe finds nothing on the pages before sign-in in %s',
    async (colorScheme) => {
      for (const path of ['/', '/console']) {
        const { page, complaints, close } = await openPage(browser, `${service.url}${path}`, { colorScheme })
        await page.locator('h1').waitFor()
        expect(await violations(page), path).toEqual([])
        expect(complaints).toEqual([])
        await close()
      }
    },
  )

  test('axe finds nothing in the dialogs, and each returns the focus to its button', async () => {
    for (const [hash, button] of [
      ['#/projects', 'New key'],
      [person, 'Erase'],
      ['#/suppressions', 'Suppress'],
      ['#/webhooks', 'New webhook'],
      ...(long
        ? ([
            ['#/projects', 'New project'],
            [`#/projects/key/${keyId}`, 'Revoke'],
            ['#/records', 'Reproject'],
          ] as const)
        : []),
    ] as const) {
      await goTo(page, hash)
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await page.locator('body:not(:has(.loading))').waitFor()
      expect(await violations(page, { contrast: long, within: 'dialog' }), button).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(button)
    }
  })

  test('on a phone the menu opens, closes and navigates by keyboard', async () => {
    const { page, close } = await signedIn(browser, service, { viewport: { width: 390, height: 800 } })
    const menu = page.getByRole('button', { name: 'Menu' })
    const link = page.getByRole('link', { name: 'Audit log' })
    await expect.poll(() => link.isVisible()).toBe(false)

    await menu.press('Enter')
    await link.waitFor()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'hidden' })
    await menu.press('Enter')
    await link.press('Enter')
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()

    await expect.poll(() => link.isVisible()).toBe(false)
    await close()
  })

  test('everything works without a mouse: sign in, skip the menu, create a key, close it', async () => {
    const { page, close } = await openPage(browser, `${service.url}/console`)
    await page.getByLabel('Admin token').focus()
    await page.keyboard.type(service.ownerToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.evaluate(() => document.body.focus())
    await page.keyboard.press('Shift+Tab')

    await page.getByRole('link', { name: 'Skip to the page' }).press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    await page.getByRole('link', { name: 'Projects and keys' }).first().press('Enter')
    await page.getByRole('button', { name: 'New key' }).press('Enter')
    await page.getByRole('dialog').getByLabel('Label').focus()
    await page.keyboard.type('by-keyboard')
    await page.keyboard.press('Enter')
    await page.getByText('Your new key').waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).press('Enter')

    await page.getByRole('link', { name: 'by-keyboard' }).waitFor()
    await close()
  })

  test('the colours follow the toggle, and the choice is kept', async () => {
    const { page, close } = await signedIn(browser, service, { colorScheme: 'light' })
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await background()

    await page.getByRole('button', { name: /^Colours: as the system/ }).click()
    await page.getByRole('button', { name: /^Colours: light/ }).click()
    const dark = await background()
    await page.reload()
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()

    expect(dark).not.toBe(light)
    expect(await background()).toBe(dark)
    await close()
  })

  test('an empty page says what to do', async () => {
    const empty = await startService()
    onTestFinished(() => empty.close())
    const { page, close } = await signedIn(browser, empty)
    for (const [hash, words] of [
      ['#/overview', 'No live call in this time.'],
      ['#/records', 'The store is empty.'],
      ['#/calls', 'No call yet.'],
      ['#/webhooks', 'There are no webhooks.'],
      ['#/suppressions', 'Nobody is suppressed.'],
    ] as const) {
      await goTo(page, hash)
      await page.getByText(words).waitFor()
      await expect.poll(() => page.getByText(words).count(), { message: hash }).toBe(1)
    }
    await close()
  })

  test('a failure is shown with its request id, and can be retried', async () => {
    await goTo(page, '#/records/people/nobody-knows-this-one')

    const alert = await page.getByRole('alert').textContent()
    await page.getByRole('button', { name: 'Try again' }).waitFor()

    expect(alert).toMatch(/Nothing is stored.*Request [\da-f-]{36}/)
    watched.complaints.splice(0)
  })
})

interface Look {
  /** Colour checks are the most expensive part. */
  contrast?: boolean
  rules?: string[]
  within?: string
}

async function violations(page: Page, { contrast = true, rules, within }: Look = {}): Promise<string[]> {
  // There are no frames, and the other mode opens a page per check. Only violations are reported, because describing
  // passes takes most of the time. A checked document already has the script.
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: ';' } : {}) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], selectors: false })
  if (within) axe.include(within)
  if (rules) axe.withRules(rules)
  else if (!contrast) axe.disableRules(['color-contrast'])
  const found = await axe.analyze()
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}
