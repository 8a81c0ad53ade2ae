/** `npm run console:pages`: measures the load time of each console page on a large store, and its effect on callers. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page, Request } from 'playwright-core'
import { adminToken, startVitae, type Vitae } from '../bench/src/contestants/vitae.ts'
import { sendArrivals } from '../bench/src/load/arrivals.ts'
import { benchSlug } from '../bench/src/stores/bench-slug.ts'
import { account, madeFile, type MadeStore } from '../bench/src/stores/made-store.ts'
import { everyAddress, findChromium, openBrowser, signedIn } from '../console/test/browser.ts'
import { ensureBuilt } from '../console/test/built-console.ts'

const usage = `npm run console:pages -- --store FOLDER [options]

Starts the service on a store made by "npm run fill", signs in with a browser and loads every console page from scratch.
Measures the time until the page has all its data and is idle, its slowest request, and the bytes of its requests. Then it sends
paid lookups at a steady pace, alone and beside the requests of all pages. These are sent one after another without a browser,
because a real browser runs on another machine. Exits with 1 if a page takes longer than 2 seconds.

  --store FOLDER      the data folder
  --rounds N          number of loads per page; the median counts (3)
  --pictures FOLDER   save pictures of every page there: light, dark, and phone size

Example:
  VITAE_DATA_DIR=FOLDER npm run fill -- --records 100000 --calls 1000000 --events 200000 --keys 5000
  npm run console:pages -- --store FOLDER`

const goalMs = 2_000
const slowMs = 500
const lookups = { perSecond: 100, requests: 3_000 }
const looks = [
  { name: 'light', colorScheme: 'light', width: 1_280 },
  { name: 'dark', colorScheme: 'dark', width: 1_280 },
  { name: 'phone', colorScheme: 'light', width: 390 },
] as const

interface Load {
  ms: number
  bytes: number
  requests: { method: string; url: string; path: string; ms: number }[]
}

interface Measured {
  shape: string
  loads: Load[]
}

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    pictures: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help || values.store === undefined) console.log(usage)
else await measure(values.store)

async function measure(dataDir: string): Promise<void> {
  const chromium = findChromium()
  if (!chromium) throw new Error('no chromium on the path: install it, for example with apt-get install chromium')
  ensureBuilt()
  const made = JSON.parse(readFileSync(join(dataDir, madeFile), 'utf8')) as MadeStore
  const env = { VITAE_UPSTREAM: 'directory' }
  const vitae = await startVitae({ name: 'vitae', store: { ...made, dataDir }, cores: null, env })
  const browser = await openBrowser(chromium)
  try {
    await makeOneOfEach(vitae, made)
    const pages = await loadEveryPage(browser, vitae)
    print(pages)
    await lookUpBeside(vitae, made, pages)
    if (pages.some(({ loads }) => middle(loads).ms > goalMs)) process.exitCode = 1
  } finally {
    await browser.close()
    await vitae.stop()
  }
}

/** Creates one of everything that `npm run fill` does not create, so that all pages have content. */
async function makeOneOfEach({ url }: Vitae, { testKey }: MadeStore): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  await post('/webhooks', { ...account, url: 'https://hooks.example/', events: ['credits.low'] })
  await post('/watches', { ...account, watches: [{ kind: 'people', id: benchSlug(1) }] })
  await post('/suppressions', { kind: 'people', ids: ['nobody-at-all'], reason: 'a page to look at' })
  await fetch(`${url}/v1/batches?kind=people`, {
    method: 'POST',
    headers: { ApiKey: testKey, 'content-type': 'text/csv' },
    body: 'id\nsample-complete\nsample-not-found\n',
  })
}

async function loadEveryPage(browser: Browser, vitae: Vitae): Promise<Measured[]> {
  const { page, close } = await signedIn(browser, { url: vitae.url, ownerToken: adminToken })
  const measured: Measured[] = []
  const person = `#/records/people/${benchSlug(1)}`
  for await (const { address, shape } of everyAddress(page, [person, `${person}?tab=calls`])) {
    const loads: Load[] = []
    for (let round = 0; round < Number(values.rounds); round++) loads.push(await loadPage(page, vitae.url, address))
    measured.push({ shape, loads })
    if (values.pictures !== undefined) await takePictures(page, join(values.pictures, shape.replaceAll('/', '-')))
  }
  await close()
  return measured
}

/** Loads a console page from scratch, until all its data has arrived and the browser is idle. */
async function loadPage(page: Page, url: string, address: string): Promise<Load> {
  const finished: Request[] = []
  const note = (request: Request) => void finished.push(request)
  await page.goto('about:blank')
  page.on('requestfinished', note)
  await page.goto(`${url}/console${address}`, { waitUntil: 'commit' })
  await page.locator(`main[data-address=${JSON.stringify(address)}]:has(h1):not(:has(.loading))`).waitFor()
  const ms = await page.evaluate<number>('new Promise((done) => requestIdleCallback(() => done(performance.now())))')
  page.off('requestfinished', note)
  const requests = finished.map((request) => ({
    method: request.method(),
    url: request.url(),
    path: new URL(request.url()).pathname,
    ms: request.timing().responseEnd,
  }))
  const sizes = await Promise.all(finished.map((request) => request.sizes()))
  return { ms, bytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0), requests }
}

async function takePictures(page: Page, file: string): Promise<void> {
  mkdirSync(join(file, '..'), { recursive: true })
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 860 })
    await page.screenshot({ path: `${file}-${name}.png`, animations: 'disabled', fullPage: true })
  }
  await page.setViewportSize({ width: 1_280, height: 860 })
}

function middle(loads: Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.ms - b.ms)
  const load = sorted[Math.floor(sorted.length / 2)]
  if (!load) throw new Error('a page was not loaded')
  return load
}

function print(pages: Measured[]): void {
  console.log(`| page | ms | slowest request | ms | over ${slowMs} ms | KB |\n|---|---|---|---|---|---|`)
  for (const { shape, loads } of pages) {
    const { ms, bytes, requests } = middle(loads)
    const slowest = requests.toSorted((a, b) => b.ms - a.ms)[0]
    const slow = requests.filter((request) => request.ms > slowMs).length
    const cells = [shape, Math.round(ms), slowest?.path, Math.round(slowest?.ms ?? 0), slow, Math.round(bytes / 1_024)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

/** Paid store answers at a steady pace: first alone, then while a browser opens all pages. */
async function lookUpBeside(vitae: Vitae, made: MadeStore, pages: Measured[]): Promise<void> {
  const send = (first: number) =>
    sendArrivals(null, {
      url: vitae.url,
      path: '/v1/people/profile?profile_id=p#',
      headers: { ApiKey: made.liveKeys[0] ?? '' },
      ...lookups,
      first,
      seed: first,
    })
  await send(1_000)
  const alone = await send(1_000)
  let [going, sent] = [true, 0]
  const looking = (async () => {
    const asked = pages.flatMap(({ loads }) => middle(loads).requests).filter(({ method }) => method === 'GET')
    while (going)
      for (const { url } of asked.filter(() => going)) {
        await (await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } })).arrayBuffer()
        sent += 1
      }
  })()
  const beside = await send(1_000)
  going = false
  await looking
  console.log('\n| paid lookups | p50 ms | p99 ms | slowest ms | answers |\n|---|---|---|---|---|')
  for (const [name, report] of Object.entries({ alone, [`beside ${sent} requests of pages`]: beside })) {
    const { p50Ms, p99Ms, maxMs, statuses } = report
    console.log(
      `| ${[name, p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(0), JSON.stringify(statuses)].join(' | ')} |`,
    )
  }
}
