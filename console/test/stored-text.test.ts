import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileStrings } from '../../service/test/corpora/corpora.ts'
import { findChromium, goTo, openBrowser, signedIn, type Watched } from './browser.ts'
import { directoryLine, directoryPerson } from './lived-in.ts'
import { startService, type TestService } from './test-service.ts'

const chromium = findChromium()
if (!chromium) console.warn('NOT RUN: hostile text in the console, because there is no chromium on the path.')

const own = [
  '<img src=x onerror="window.caught=1">',
  '"><script>window.caught=1</script>',
  'javascript:window.caught=1//https://',
  '<svg/onload=window.caught=1>',
  '{{constructor.constructor("window.caught=1")()}}',
]

describe.skipIf(!chromium)('text written by others', () => {
  let service: TestService
  let browser: Browser
  let watched: Watched
  let projects: string[] = []
  // Every string that a browser could treat as more than text. One with a NUL byte is refused.
  const texts = [...own, ...hostileStrings().filter((text) => !text.includes('\0'))]

  beforeAll(async () => {
    service = await startService({ VITAE_RATE_LIMIT: '100000/60s' })
    await plantRecords(service, texts)
    await plantRightToLeft(service)
    projects = await plantProjects(service, texts)
    browser = await openBrowser(chromium ?? '')
    watched = await signedIn(browser, service)
    watched.page.on('dialog', (dialog) => watched.complaints.push(`a dialog: ${dialog.message()}`))
  })
  afterAll(async () => {
    await watched?.close()
    await service?.close()
  })

  test('stays text on every page: nothing runs, nothing loads, nothing is sent', async () => {
    const { page, complaints } = watched
    const hashes = ['#/overview', '#/projects', '#/records', '#/audit', '#/calls', '#/suppressions']
    for (const hash of [...hashes, ...projects.map((name) => `#/projects/in/${encodeURIComponent(name)}/production`)]) {
      await goTo(page, hash)
      expect(await intruders(page), hash).toEqual([])
    }
    expect(complaints).toEqual([])
  })

  test('is shown letter by letter as a label', async () => {
    const { page } = watched
    await goTo(page, '#/projects/keys?project=hostile&order=oldest')

    const shown = page.locator('.key-name .word')

    for (const text of own) await expect.poll(() => shown.allTextContents()).toContain(text)
  })

  test('is inert in a record as a card, as JSON and as a difference', async () => {
    const { page, complaints } = watched
    for (let place = 0; place < recordCount(texts); place++) {
      for (const tab of ['card', 'json', 'history']) {
        await goTo(page, `#/records/people/${encodeURIComponent(urnOf(place))}?tab=${tab}`)
        expect(await intruders(page)).toEqual([])
      }
    }
    expect(complaints).toEqual([])
  })

  test('has its own direction, and does not reverse anything beside it', async () => {
    const { page } = watched
    for (const hash of ['#/records?text=righted', '#/records/people/righted', '#/records/companies/righted'])
      for (const tab of hash.includes('?') ? [''] : ['?tab=card', '?tab=history', '?tab=json']) {
        await goTo(page, hash + tab)
        const { seen, loose } = await looseTexts(page)
        expect(loose, hash + tab).toEqual([])
        expect(seen, hash + tab).toBeGreaterThan(0)
      }
  })

  test('in the URL leads to no page', async () => {
    const { page, complaints } = watched
    for (const text of own) {
      await goTo(page, `#/records?text=${encodeURIComponent(text)}`)
      await goTo(page, `#/calls?project=${encodeURIComponent(text)}`)
      await goTo(page, `#/audit?subject=${encodeURIComponent(text)}`)
      expect(await intruders(page)).toEqual([])
    }
    expect(complaints).toEqual([])
  })
})

/** Elements and marks that only text treated as markup could leave. */
function intruders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const elements = document.querySelectorAll(
      'body script, iframe, object, embed, main img, main style, main base, main [onerror], main [onload], main [onclick]',
    )
    const links = [...document.querySelectorAll('a[href]')].filter(
      (link) => !/^(#|\/|https?:\/\/)/.test(link.getAttribute('href') ?? ''),
    )
    const caught = 'caught' in window ? ['a script ran'] : []
    return [...caught, ...[...elements, ...links].map((element) => element.outerHTML.slice(0, 200))]
  })
}

/** A right-to-left letter. */
const aleph = '\u05d0'

/** Texts of records that share a line with others without isolation by an element or control characters. */
function looseTexts(page: Page): Promise<{ seen: number; loose: string[] }> {
  return page.evaluate((letter) => {
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
    const loose: string[] = []
    let seen = 0
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent ?? ''
      if (!text.includes(letter)) continue
      seen++
      let rest = text
      while (/\u2068[^\u2068\u2069]*\u2069/.test(rest)) rest = rest.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, '')
      const own = walker.currentNode.parentElement?.closest('[dir=auto], bdi') ? 1 : 0
      if (rest.split(letter).length - 1 > own) loose.push(text)
    }
    return { seen, loose }
  }, aleph)
}

/** A person and a company whose texts all begin with that letter, each in two versions. */
async function plantRightToLeft(service: TestService): Promise<void> {
  // A name is one text, although it has two fields.
  const kept = /(urn|url|id|identifier|iso|last_name|currency|country|type|range)$/i
  const turn = (name: string, value: unknown, version: number): unknown => {
    if (typeof value === 'string') return kept.test(name) ? value : `${aleph} ${value} ${version}`
    if (Array.isArray(value)) return value.map((one) => turn(name, one, version))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, turn(field, one, version)]))
  }
  for (const [kind, slug, key] of [
    ['people', 'amara-okafor', { member_urn: 'urn:li:member:995999999', entity_urn: null }],
    ['companies', 'tidewater-robotics', { company_id: '995999999' }],
  ] as const)
    for (const version of [1, 2]) {
      service.setClockOffset((version - 3) * 60_000)
      const record = turn('', JSON.parse(directoryLine(kind, slug)), version) as object
      const lines = [JSON.stringify({ ...record, ...key, public_identifier: 'righted' })]
      const result = await service.admin<{ saved: number }>('POST', '/records/import', {
        kind,
        fetched_at: '0s',
        lines,
      })
      if (result.saved !== 1) throw new Error(`not taken: ${JSON.stringify(result)}`)
    }
  service.setClockOffset(0)
}

/** The number of texts that fit into one record. Each record is imported twice, so that it has a history. */
const textsPerRecord = 60
const recordCount = (texts: string[]) => Math.ceil(texts.length / textsPerRecord)
const urnOf = (place: number) => `urn:li:member:99500${String(place).padStart(4, '0')}`

async function plantRecords(service: TestService, texts: string[]): Promise<void> {
  const base = directoryPerson('amara-okafor')
  const [group] = base.experience
  if (!group) throw new Error('the person of this test needs an employer')
  for (const [round, offset] of [
    [0, -60_000],
    [1, 0],
  ] as const) {
    service.setClockOffset(offset)
    const lines = Array.from({ length: recordCount(texts) }, (_, place) => {
      const part = texts.slice(place * textsPerRecord, (place + 1) * textsPerRecord)
      const at = (index: number) => part[(index + round) % part.length] ?? ''
      return JSON.stringify({
        ...base,
        member_urn: urnOf(place),
        entity_urn: null,
        public_identifier: `hostile-${place}`,
        first_name: at(0),
        last_name: at(1),
        headline: at(2),
        summary: at(3),
        profile_url: at(4),
        websites: part.slice(5, 10),
        experience: [{ ...group, company_name: at(10), company_url: at(11) }],
        skills: round === 0 ? part : part.toReversed(),
      })
    })
    const { saved } = await service.admin<{ saved: number }>('POST', '/records/import', {
      kind: 'people',
      fetched_at: '0s',
      lines,
    })
    if (saved !== lines.length) throw new Error(`only ${saved} of ${lines.length} hostile records were taken`)
  }
}

/** Characters that the API refuses in labels. */
// oxlint-disable-next-line no-control-regex
const refused = /[\x01-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** Uses every text as key label, and as project name if the service accepts it; some as reasons. */
async function plantProjects(service: TestService, texts: string[]): Promise<string[]> {
  const plant = async (text: string): Promise<string[]> => {
    const key = { environment: 'production', mode: 'live', label: text.slice(0, 200).replaceAll(refused, '') }
    await service.admin('POST', '/keys', { ...key, project: 'hostile' })
    return service.admin('POST', '/keys', { ...key, project: text }).then(
      () => [text],
      () => [],
    )
  }
  const projects: string[] = []
  for (let start = 0; start < texts.length; start += 50)
    projects.push(...(await Promise.all(texts.slice(start, start + 50).map(plant))).flat())
  for (const reason of own)
    await service.admin('POST', '/credits/grants', { project: 'hostile', environment: 'production', amount: 1, reason })
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['someone-hostile'], reason: own[0] })
  return projects.slice(0, 10)
}
