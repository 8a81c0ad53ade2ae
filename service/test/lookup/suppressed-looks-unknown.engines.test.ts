import { afterAll, beforeAll, expect, test } from 'vitest'
import { onPostgres } from '../harness/engines.ts'
import { startTestService, type TestCaller, type TestService } from '../harness/test-service.ts'
import { comparedOperations, surfaces, type Asker } from './asking-surfaces.ts'

const missesAllowed = 100
let service: TestService
beforeAll(async () => {
  const env = { VITAE_NOT_FOUND_RATE: `${missesAllowed}/1h`, VITAE_BREAKER_FAILURES: '1' }
  service = await startTestService({ env, fixed: { openBatches: 1_000 } })
  // Stored before the probers ask for it, so that both are answered from the store.
  await service.person('known-to-all')
})
afterAll(() => service.close())

/** A caller that asks for suppressed or unknown names. Everything else about the two callers is the same. */
interface Prober {
  prefix: 'hidden' | 'missing'
  caller: TestCaller
}

interface State {
  credits?: number
  wish?: Record<string, unknown>
  /** The prober's earlier request for each name. */
  before?(caller: TestCaller, name: string, surface: string): Promise<unknown>
  /** Enters a state, and leaves it again. */
  enter?(probers: readonly Prober[]): Promise<unknown>
  leave?(): Promise<unknown>
}

const asks = async ({ key }: TestCaller, name: string, surface: string) => {
  if (/company|resolve/.test(surface)) await service.company(name, '', { ApiKey: key })
  else await service.person(name, '', { ApiKey: key })
}
/** The breaker lets one call through, which closes it for all. */
const endFault = async () => {
  await service.upstream.setFault(null)
  service.clock.advance({ minutes: 1 })
  await seeProvider()
}
const isRejected = async () => {
  await service.upstream.setFault(401)
  await seeProvider()
}
/** A call that shows the provider's current state. */
const seeProvider = () => service.person(`someone-${++number}`)
let number = 0

/** Uses up the allowance for misses. */
const missOften = (name: (n: number) => string) => async (probers: readonly Prober[]) => {
  const names = Array.from({ length: missesAllowed }, (_, n) => name(n))
  await suppress(
    [],
    names.filter((each) => each.startsWith('hidden')),
  )
  for (const { caller } of probers)
    for (const each of names) await service.person(each, '&max_age_days=0', { ApiKey: caller.key })
}

const states: Record<string, State> = {
  'never asked for': {},
  'asked for a moment ago': { before: asks },
  'asked for so long ago that it is asked again': {
    before: asks,
    enter: async () => service.clock.advance({ minutes: 61 }),
  },
  'asked for before a restart': { before: asks, enter: () => service.restart() },
  'without credits': { credits: 0 },
  'with a ceiling of 0': { wish: { ceiling: 0 } },
  'with an allowance for misses that unknown names used up': { enter: missOften((n) => `missing-often-${n}`) },
  'with an allowance for misses that suppressed names used up': { enter: missOften((n) => `hidden-often-${n}`) },
  'with a provider that rejects us': { enter: isRejected, leave: endFault },
  'asked for before the provider rejects us': { before: asks, enter: isRejected, leave: endFault },
  'with an open breaker': {
    enter: async (probers) => {
      await service.upstream.setFault('reset')
      for (const { caller, prefix } of probers) await service.person(`known-${prefix}`, '', { ApiKey: caller.key })
    },
    leave: endFault,
  },
  'with a provider that is paused': {
    enter: () => service.admin('POST', '/providers/mirror/pause', {}),
    leave: () => service.admin('POST', '/providers/mirror/resume', {}),
  },
}

/** The answer is decided above the store, so PostgreSQL tests only states that are read from it. */
const readFromStore = ['never asked for', 'asked for before a restart', 'without credits', 'with a ceiling of 0']
const isShort = onPostgres && !process.env['VITAE_TEST_LONG']

test.each(Object.entries(states).filter(([title]) => !isShort || readFromStore.includes(title)))(
  'a suppressed name is answered like an unknown one: %s',
  async (_title, { credits = 200, wish, before, enter, leave }) => {
    const names = Object.keys(surfaces).map((surface) => ({ surface, name: `name-${++number}` }))
    await suppress(names.map(({ name }) => `hidden-${name}`))
    const probers = await Promise.all(
      (['hidden', 'missing'] as const).map((prefix) => makeProber(prefix, credits, wish)),
    )
    for (const { prefix, caller } of probers)
      for (const { surface, name } of names) await before?.(caller, `${prefix}-${name}`, surface)
    await enter?.(probers)
    const seen: Record<Prober['prefix'], Record<string, unknown>> = { hidden: {}, missing: {} }
    for (const { prefix, caller } of probers) {
      for (const { surface, name } of names)
        seen[prefix][surface] = await see(surface, { service, caller, name: `${prefix}-${name}` })
      seen[prefix]['credits left'] = await service.balance('production', caller.project)
    }
    await leave?.()

    expect(seen.hidden).toEqual(seen.missing)
    expect(service.upstream.requests.filter(({ path }) => path.includes('hidden-'))).toEqual([])
  },
)

test('every caller operation is compared on existing surfaces', () => {
  const named = Object.values(comparedOperations).flatMap((shown) => (typeof shown === 'string' ? [] : shown))

  expect(named.filter((surface) => !(surface in surfaces))).toEqual([])
})

async function makeProber(prefix: Prober['prefix'], credits: number, wish = {}): Promise<Prober> {
  const caller = await service.newCaller(credits, { daily_ceiling: 1_000, ...wish })
  // A value of another call, if the key can pay for one.
  await service.person('known-to-all', '', { ApiKey: caller.key, 'Idempotency-Key': 'used' })
  return { prefix, caller }
}

/** Suppresses names as people and as companies, and further names only as people. */
async function suppress(names: string[], people: string[] = []): Promise<void> {
  const lists = { people: [...names, ...people], companies: names }
  for (const [kind, ids] of Object.entries(lists))
    if (ids.length > 0) await service.admin('POST', '/suppressions', { kind, ids, reason: 'asked' })
}

/** The output of a surface, without the name. */
async function see(surface: string, asker: Asker): Promise<unknown> {
  const { caller, name } = asker
  const shown = await surfaces[surface]!(asker)
  const text = JSON.stringify(shown)
  return JSON.parse(
    text.replaceAll(name, 'NAME').replaceAll(caller.project, 'PROJECT').replaceAll(caller.keyId, 'KEY'),
  ) as unknown
}

const asked = (name: string) => service.upstream.requests.filter(({ path }) => path.includes(name)).length
const plainly = ({ status, text }: { status: number; text: string }) => [
  status,
  text.replace(/"request_id":"[^"]*"/, ''),
]

test('an erased person is answered like an unknown one by slug and by key, and so is the site of an erased company', async () => {
  const headers = { ApiKey: (await service.newCaller(50)).key }
  const { json } = await service.person('erased-person', '', headers)
  const company = (await service.company('erased-company', '', headers)).json
  service.upstream.companies.set('erased-company', { ...company, company_url: 'https://erased.example' })
  await service.company('erased-company', '&max_age_days=0', headers)
  await service.admin('POST', '/records/people/erased-person/erase', { reason: 'asked for it' })
  await service.admin('POST', '/records/companies/erased-company/erase', { reason: 'asked for it' })
  const before = service.upstream.requests.length

  const resolve = (domain: string) => service.get(`/v1/companies/resolve?domain=${domain}`, headers)
  const pairs = [
    [await service.person('erased-person', '', headers), await service.person('missing-from-all', '', headers)],
    [
      await service.person(String(json['member_urn']), '', headers),
      await service.person('urn:li:member:987654321', '', headers),
    ],
    [await resolve('erased.example'), await resolve('unknown.example')],
  ]

  for (const [erased, unknown] of pairs) expect(plainly(erased!)).toEqual(plainly(unknown!))
  expect(service.upstream.requests.slice(before).map(({ path }) => /missing/.test(path))).toEqual([true])
})

test('a new name of a suppressed person is fetched once, and then it is a remembered miss', async () => {
  const { key, balance } = await service.newCaller(10)
  const headers = { ApiKey: key }
  const known = (await service.person('old-name', '', headers)).json
  await service.admin('POST', '/records/people/old-name/erase', { reason: 'asked for it' })
  service.upstream.people.set('new-name', { ...known, public_identifier: 'new-name' })
  const preflight = async (name: string) =>
    (await service.get(`/v1/people/profile/preflight?profile_id=${name}`, headers)).json

  const first = await service.person('new-name', '', headers)
  const unknown = await service.person('missing-plainly', '', headers)
  await service.restart()
  const again = await service.person('new-name', '', headers)

  expect(plainly(first)).toEqual(plainly(unknown))
  expect(plainly(again)).toEqual(plainly(unknown))
  expect(await preflight('new-name')).toEqual(await preflight('missing-plainly'))
  expect([asked('new-name'), asked('missing-plainly'), await balance()]).toEqual([1, 1, 9])
})

test('a retry of a call for a person who is suppressed since, but still stored, is a free 404', async () => {
  const { key, balance } = await service.newCaller(10)
  const headers = { ApiKey: key, 'Idempotency-Key': 'paid' }
  const paid = await service.person('stored-and-kept-out', '', headers)
  await suppress(['stored-and-kept-out'])
  const retry = await service.person('stored-and-kept-out', '', headers)
  const preflight = await service.get('/v1/people/profile/preflight?profile_id=stored-and-kept-out', headers)
  await service.admin('POST', '/suppressions/remove', { kind: 'people', ids: ['stored-and-kept-out'], reason: 'asked' })
  const back = await service.person('stored-and-kept-out', '', { ApiKey: key })

  expect([paid.status, retry.status, back.status]).toEqual([200, 404, 200])
  expect(preflight.json).toMatchObject({ refused: 'not_found', asks_provider: false })
  expect([asked('stored-and-kept-out'), await balance()]).toEqual([1, 8])
})
