import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { TestService } from './test-service.ts'

/** The same engine; the first draws no windows, and takes a third of the CPU time. */
const programs = ['chromium-headless-shell', 'chromium']

/** Debian's Chromium, or whichever the path holds; null where there is none. */
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
const moreFlags = '--disable-component-update --disable-sync'

let shared: Promise<Browser> | null = null

/**
 * A headless browser that makes no requests of its own. All test files of one worker share it; it ends with the
 * worker, so they close their pages and leave it open.
 */
export function openBrowser(executablePath: string): Promise<Browser> {
  shared ??= chromium.launch({ executablePath, headless: true, args: `${flags} ${moreFlags}`.split(' ') })
  return shared
}

/** What a page did that it must not do: complaints of the browser, requests to other hosts. */
export interface Watched {
  page: Page
  complaints: string[]
  close: () => Promise<void>
}

/** Opens a page and watches it. Answers that are failures on purpose are complained about by their address. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce', ...options })
  // The machine may be building other things at the same time.
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

/** Signs a fresh page in. */
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

/** Goes to a page of the console and waits until nothing is loading any more. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.goto(page.url().replace(/(#.*)?$/, hash))
  await page.locator(`main[data-address=${JSON.stringify(hash)}]:has(h1):not(:has(.loading))`).waitFor()
}

/** Goes to one page of each shape: those of the menu, those given, and every shape that a page links to. */
export async function* everyAddress(page: Page, more: string[]): AsyncGenerator<{ address: string; shape: string }> {
  const addresses = [...(await linksIn(page, 'nav[aria-label=Pages]')), ...more]
  const shapes = new Set(addresses.map(shapeOf))
  // Grows while it is walked.
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

/** What two addresses of the same page have in common: the words of the path, and the tab; not the names in it. */
function shapeOf(address: string): string {
  const [path = '', query = ''] = address.replace('#/', '').split('?')
  const [name = '', ...rest] = path.split('/')
  const isWord = (part: string, place: number) => /^[a-z]+$/.test(part) && (place === 0 || rest.length === 1)
  const tab = new URLSearchParams(query).get('tab')
  return [name, ...rest.map((part, place) => (isWord(part, place) ? part : '…')), ...(tab ? [tab] : [])].join('/')
}
