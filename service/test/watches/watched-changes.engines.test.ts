import type { EventFeed, ExperienceGroup, Person, VitaeEvent, Watch, WatchList } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { resumePausedWatches, runDueWatches } from '../../src/watches/run-watches.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { readFeed } from '../../src/events/outbox/read-events.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

/** Runs everything that is due, like the background jobs. The months of the call log are created ahead. */
async function runDue(): Promise<void> {
  await service.service.store.database.makePartitions({ now: service.clock.now() })
  await runDueWatches(service.service, 4)
}

async function watch(key: string, id: string, more: object = {}): Promise<Watch> {
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const body = JSON.stringify({ kind: 'people', id, ...more })
  return (await service.get('/v1/watches', headers, 'POST', body)).json as unknown as Watch
}

async function watches(key: string): Promise<Watch[]> {
  return ((await service.get('/v1/watches', { ApiKey: key })).json as unknown as WatchList).watches
}

/** The events of a project's environments, in order. */
async function told(project: string): Promise<VitaeEvent[]> {
  const { bytes } = await readFeed(service.service.store.events, {
    after: 0,
    limit: 10_000,
    coding: null,
    now: service.clock.now(),
  })
  return (JSON.parse(Buffer.from(bytes).toString()) as EventFeed).events.filter((event) => event.project === project)
}

const typesTold = async (project: string) => (await told(project)).map((event) => event.type)

function job(companyId: string, title: string, year: number): ExperienceGroup {
  const date = { year, month: 1, day: null, iso: `${year}-01` }
  const [group] = contractPerson('anyone').experience
  const [position] = group?.positions ?? []
  if (!group || !position) throw new Error('the fictional person has no job')
  const span = { start: date, end: null }
  const positions = [{ ...position, title, date_range: span }]
  return { ...group, company_id: companyId, company_name: `Company ${companyId}`, date_range: span, positions }
}

/** A person at one employer, with everything else unchanged. */
function employed(slug: string, ...experience: ExperienceGroup[]): Person {
  return { ...contractPerson(slug), experience }
}

test('job change, promotion, thin answer, not found, outage: the right events, no false job change, exact charges', async () => {
  const slug = 'vera-watched'
  const caller = await service.newCaller(20)
  const stranger = await service.newCaller(20)
  const at = (person: unknown) => void service.upstream.people.set(slug, person)
  const { member_urn, entity_urn, public_identifier, first_name, last_name } = contractPerson(slug)
  const atFirst = employed(slug, job('501', 'Analyst', 2020))
  const moved = employed(slug, job('502', 'Analyst', 2025))
  const promoted = employed(slug, {
    ...job('502', 'Head of analysis', 2026),
    positions: [...job('502', 'Head of analysis', 2026).positions, ...ended(job('502', 'Analyst', 2025))],
  })
  const seen: [string, string | null, number, string[]][] = []
  const interval = async (name: string, answer: unknown) => {
    at(answer)
    await runDue()
    const result = (await watches(caller.key))[0]?.last_result ?? null
    seen.push([name, result, 20 - (await caller.balance()), await typesTold(caller.project)])
    service.clock.advance({ days: 7, minutes: 1 })
  }

  at(atFirst)
  await watch(caller.key, slug)
  await interval('first', atFirst)
  await interval('moved', moved)
  await interval('promoted', promoted)
  await interval('thin', { member_urn, entity_urn, public_identifier, first_name, last_name })
  await interval('gone', null)
  await interval('back', promoted)
  // An outage that is not retried at once.
  await service.upstream.setFault(401)
  await interval('out', promoted)
  await service.upstream.setFault(null)
  await interval('up', promoted)

  const changes = ['person.job_changed', 'person.promoted']
  const isJob = (type: string) => changes.includes(type)
  expect(seen.map(([name, result, spent, types]) => [name, result, spent, types.filter(isJob)])).toEqual([
    ['first', 'live', 1, []],
    ['moved', 'live', 2, ['person.job_changed']],
    ['promoted', 'live', 3, changes],
    ['thin', 'live', 4, changes],
    ['gone', 'not_found', 4, changes],
    ['back', 'live', 5, changes],
    ['out', 'upstream_unavailable', 5, changes],
    ['up', 'live', 6, changes],
  ])
  expect(await told(stranger.project)).toEqual([])
  expect(await stranger.balance()).toBe(20)
})

/** The positions of a group, ended when its next one began. */
function ended(group: ExperienceGroup): ExperienceGroup['positions'] {
  const end = { year: 2026, month: 1, day: null, iso: '2026-01' }
  return group.positions.map((position) => ({
    ...position,
    date_range: { start: position.date_range?.start ?? null, end },
  }))
}

test('any lookup with a new version notifies the watchers, each environment once, and only those that can pay', async () => {
  const slug = 'alma-anyone'
  const [one, two, poor] = [await service.newCaller(5), await service.newCaller(5), await service.newCaller(0)]
  service.upstream.people.set(slug, employed(slug, job('601', 'Chemist', 2020)))
  for (const { key } of [one, two, poor]) await watch(key, slug)
  await runDue()
  service.upstream.people.set(slug, employed(slug, job('602', 'Chemist', 2025)))
  await service.person(slug, '&bypass_cache=true')

  expect(await typesTold(one.project)).toContain('person.job_changed')
  expect(await typesTold(two.project)).toContain('person.job_changed')
  expect(await typesTold(poor.project)).not.toContain('person.job_changed')
  expect([await one.balance(), await two.balance()]).toEqual([4, 4])
})

test('the watches of an environment stay within their monthly limit, and continue in the next month', async () => {
  service.clock.set('2027-03-20T12:00:00Z')
  const { project, keyId, key, balance } = await service.newCaller(20)
  const list = ['mia-1', 'mia-2', 'mia-3'].map((id) => ({ kind: 'people', id, every_days: 30 }))
  const account = { project, environment: 'production', key_id: keyId }
  const plan = await service.admin('POST', '/watches', { ...account, watches: list, dry_run: true })
  expect(plan).toMatchObject({ credits_at_once: 3, credits_per_month: 3, created: 0 })
  await service.admin('POST', '/watches', { ...account, watches: list, max_credits_per_month: 2 })
  service.clock.advance({ seconds: 5 })
  await runDue()

  expect(await balance()).toBe(18)
  expect((await watches(key)).map((each) => each.paused)).toContain('max_credits_per_month')
  expect((await told(project)).map((event) => event.data)).toContainEqual({
    month: '2027-03',
    spent: 2,
    budget: 2,
    of: 'watches',
  })

  service.clock.set('2027-04-01T00:00:01Z')
  await resumePausedWatches(service.service)
  await runDue()
  expect(await balance()).toBe(17)
})

test('an erasure removes the watches of the subject; adding one again looks like any not-found record', async () => {
  const caller = await service.newCaller(10)
  await watch(caller.key, 'edda-erased', { note: 'Edda of Nowhere' })
  await watch(caller.key, 'kurt-kept')
  service.clock.advance({ seconds: 5 })
  await runDue()
  await service.admin('POST', '/records/people/edda-erased/erase', { reason: 'asked for it' })
  expect((await watches(caller.key)).map((each) => each.identifier)).toEqual(['kurt-kept'])

  const before = await caller.balance()
  service.upstream.people.set('nemo-nobody', null)
  for (const id of ['edda-erased', 'nemo-nobody']) await watch(caller.key, id)
  service.clock.advance({ seconds: 5 })
  await runDue()
  const found = new Map((await watches(caller.key)).map((each) => [each.identifier, each]))
  const shape = ({ last_result, paused, last_seen_at }: Watch) => ({ last_result, paused, last_seen_at })
  expect(shape(found.get('edda-erased')!)).toEqual(shape(found.get('nemo-nobody')!))
  expect(await caller.balance()).toBe(before)
})
