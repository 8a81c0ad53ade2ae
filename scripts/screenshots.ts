import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { findChromium, goTo, openBrowser, signedIn } from '../console/test/browser.ts'
import { directoryPerson, liveThroughAMonth } from '../console/test/lived-in.ts'
import { startService, type TestService } from '../console/test/test-service.ts'

/** Takes the console pictures of the README: `npm run screenshots` writes them to docs/pictures. */
const folder = join(import.meta.dirname, '../docs/pictures')
const screen = { viewport: { width: 1_280, height: 860 }, colorScheme: 'light' as const }

const person = `#/records/people/${encodeURIComponent(directoryPerson('amara-okafor').member_urn)}`
const pages = { overview: '#/overview?time=30d', person }

async function takeAll(browser: Browser, service: TestService): Promise<void> {
  const { page, close } = await signedIn(browser, service, screen)
  for (const [name, hash] of Object.entries(pages)) {
    await goTo(page, hash)
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(folder, `console-${name}-light-desktop.png`), animations: 'disabled' })
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
  await takeAll(browser, service)
} finally {
  await browser.close()
  await service.close()
}
