import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { TestService } from './test-service.ts'

/** The same engine. The first has no windows, and takes a third of the CPU time. */
const programs = ['chromium-headless-shell', 'chromium']

/** Debian's Chromium, or another one in the path; null if neither is installed. */
export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const files = programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  return files.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const flags = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
// One renderer for all pages, because starting another takes CPU time.
const moreFlags = '--disable-component-update --disable-sync --renderer-process-limit=1'

let shared: Promise<Browser> | null = null

/**
 * A headless browser without requests of its own. All test files of one worker share it. It ends with the worker, so
 * tests close their pages and leave it open.
 */
export function openBrowser(executablePath: string): Promise<Browser> {
  shared ??= chromium.launch({ executablePath, headless: true, args: `${flags} ${moreFlags}`.split(' ') })
  return shared
}

/** Forbidden behaviour of a page: browser errors, and requests to other hosts. */
export interface Watched {
  page: Page
  complaints: string[]
  close: () => Promise<void>
}

/** Opens a page and watches it. Intended failures are listed by their URL. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce', ...options })
  // The machine may be busy with other builds.
  context.setDefaultNavigationTimeout(120_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    const where = message.location().url
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.text()} (${where})`)
  })
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('request', (request) => {
    const own = request.url().startsWith(`${new URL(url).origin}/`) || /^(data|blob):/.test(request.url())
    if (!own) complaints.push(`a request left the origin: ${request.url()}`)
  })
  await page.goto(url)
  return { page, complaints, close: () => context.close() }
}

/** Signs in on a new page. */
export async function signedIn(
  browser: Browser,
  service: Pick<TestService, 'url' | 'ownerToken'>,
  { token = service.ownerToken, ...options }: BrowserContextOptions & { token?: string } = {},
): Promise<Watched> {
  const watched = await openPage(browser, `${service.url}/console`, options)
  await watched.page.getByLabel('Admin token').fill(token)
  await watched.page.getByRole('button', { name: 'Sign in' }).click()
  await watched.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  return watched
}

/** Opens a page of the console and waits until nothing is loading. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.goto(page.url().replace(/(#.*)?$/, hash))
  await page.locator(`main[data-address=${JSON.stringify(hash)}]:has(h1):not(:has(.loading))`).waitFor()
}

/** Visits one page of each shape: those of the menu, the given ones, and every shape that a page links to. */
export async function* everyAddress(page: Page, more: string[]): AsyncGenerator<{ address: string; shape: string }> {
  const addresses = [...(await linksIn(page, 'nav[aria-label=Pages]')), ...more]
  const shapes = new Set(addresses.map(shapeOf))
  // The list grows during the loop.
  for (const address of addresses) {
    await goTo(page, address)
    const links = await linksIn(page, 'main')
    addresses.push(...links.filter((link) => !shapes.has(shapeOf(link)) && shapes.add(shapeOf(link))))
    yield { address, shape: shapeOf(address) }
  }
}

function linksIn(page: Page, within: string): Promise<string[]> {
  return page
    .locator(`${within} a[href^="#/"]`)
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
}

/** The shape of a URL: the words of the path and the tab, without the names in it. */
function shapeOf(address: string): string {
  const [path = '', query = ''] = address.replace('#/', '').split('?')
  const [name = '', ...rest] = path.split('/')
  const isWord = (part: string, place: number) => /^[a-z]+$/.test(part) && (place === 0 || rest.length === 1)
  const tab = new URLSearchParams(query).get('tab')
  return [name, ...rest.map((part, place) => (isWord(part, place) ? part : '…')), ...(tab ? [tab] : [])].join('/')
}
