import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, goTo, openBrowser, openPage, signedIn } from '../console/test/browser.ts'
import { directoryPerson, liveThroughAMonth } from '../console/test/lived-in.ts'
import { startService, type TestService } from '../console/test/test-service.ts'

/** Makes the pictures of every page of the console: `npm run screenshots`. They stand in docs/pictures. */
const folder = join(import.meta.dirname, '../docs/pictures')
const screens = {
  desktop: { viewport: { width: 1_280, height: 860 } },
  phone: { viewport: { width: 390, height: 844 } },
}
type Screen = keyof typeof screens
type Colours = 'light' | 'dark'

const person = `#/records/people/${encodeURIComponent(directoryPerson('amara-okafor').member_urn)}`
const pages: [name: string, hash: string, prepare?: (page: Page, service: TestService) => Promise<void>][] = [
  ['overview', '#/overview?range=month'],
  ['projects', '#/projects'],
  ['records', '#/records?text=t'],
  ['person', person],
  ['history', `${person}?tab=history`, compareFirst],
  ['company', '#/records/companies/tidewater-robotics'],
  ['calls', '#/calls'],
  ['providers', '#/providers'],
  ['audit', '#/audit'],
  ['suppressions', '#/suppressions'],
  ['playground', '#/playground', playground],
]

/** The first version against the one after it: there the job changes. */
async function compareFirst(page: Page): Promise<void> {
  await page
    .getByLabel(/Compare from version/)
    .last()
    .check()
  await page.getByText('job change').first().waitFor()
}

async function playground(page: Page, service: TestService): Promise<void> {
  await page.getByLabel('API key').fill(service.demo.test_key)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Headers explained').waitFor()
  await page.locator('h1').scrollIntoViewIfNeeded()
}

async function take(page: Page, name: string, colours: Colours, screen: Screen): Promise<void> {
  await page.screenshot({ path: join(folder, `console-${name}-${colours}-${screen}.png`), animations: 'disabled' })
}

async function takeAll(browser: Browser, service: TestService, colours: Colours, screen: Screen): Promise<void> {
  const options = { ...screens[screen], colorScheme: colours }
  const stranger = await openPage(browser, `${service.url}/console`, options)
  await stranger.page.getByLabel('Admin token').waitFor()
  await take(stranger.page, 'sign-in', colours, screen)
  await stranger.page.goto(service.url)
  await stranger.page.getByText('Ready for calls').waitFor()
  await take(stranger.page, 'landing', colours, screen)
  await stranger.close()

  const { page, close } = await signedIn(browser, service, options)
  for (const [name, hash, prepare] of pages) {
    await goTo(page, hash)
    await prepare?.(page, service)
    await page.mouse.move(0, 0)
    await take(page, name, colours, screen)
  }
  await close()
}

const chromium = findChromium()
if (!chromium) throw new Error('no chromium on the path: install it, for example with apt-get install chromium')
mkdirSync(folder, { recursive: true })
const service = await startService({ VITAE_RATE_LIMIT: '100000/60s' })
const browser = await openBrowser(chromium)
try {
  await liveThroughAMonth(service)
  for (const colours of ['light', 'dark'] as const)
    for (const screen of ['desktop', 'phone'] as const) await takeAll(browser, service, colours, screen)
} finally {
  await browser.close()
  await service.close()
}
