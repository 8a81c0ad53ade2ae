import type { Person, EventFeed } from '@vitae/contract'
import { jobChange } from '../../../client/src/records/job-change.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { fictionalPerson } from '../../fake-provider/fiction.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { onPostgres } from '../harness/engines.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { readFeed } from '../../src/events/outbox/read-events.ts'

const names = ['harvestapi', 'coresignal', 'brightdata', 'enrichlayer', 'peopledatalabs'] as const
type Name = (typeof names)[number]

/** The random part is the providers' answers, so a few runs are enough for another engine. */
const runs = process.env['VITAE_TEST_LONG'] ? (onPostgres ? 100 : 1_000) : onPostgres ? 8 : 25
const providers = new Map<Name, FakeProvider>()
let service: TestService

beforeAll(async () => {
  const env: Record<string, string> = { VITAE_UPSTREAM: names.join(','), VITAE_CHAIN_ON_NOT_FOUND: 'true' }
  for (const name of names) {
    const provider = await startFakeProvider({ provider: name })
    providers.set(name, provider)
    env[`VITAE_${name.toUpperCase()}_URL`] = provider.url
    env[`VITAE_${name.toUpperCase()}_KEY`] = provider.key
  }
  service = await startTestService({ env, credits: 1_000_000 })
})
afterAll(async () => {
  await service.close()
  await Promise.all([...providers.values()].map((provider) => provider.close()))
})

/** One fetch that only this provider answers, because the others of the chain know nobody. */
interface Step {
  provider: Name
  what: 'person' | 'by key' | 'employer'
}

const step = fc.record<Step>({
  provider: fc.constantFrom(...names),
  what: fc.constantFrom('person', 'person', 'by key', 'employer'),
})

function onlyFrom(name: Name): void {
  for (const [each, provider] of providers) provider.generate = each === name
}

async function person(id: string): Promise<Person> {
  const { status, json, text } = await service.person(id, '&bypass_cache=true')
  expect(status, text).toBe(200)
  return json as unknown as Person
}

async function companyId(id: string, query = '&bypass_cache=true'): Promise<string> {
  const { status, json, text } = await service.company(id, query)
  expect(status, text).toBe(200)
  return String(json['company_id'])
}

/** The ids of employers by company name. */
function employers({ experience }: Person): [string, string][] {
  return experience.flatMap(({ company_name: name, company_id: id }) =>
    id === null ? [] : [[String(name).toLowerCase(), id] as [string, string]],
  )
}

let people = 0

vi.setConfig({ testTimeout: 600_000 + runs * 5_000 })
test('through any chain of five providers no key of a person or of an unchanged job changes, and nobody changes jobs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const slug = `constant-person-${(people += 1)}`
      const [job] = fictionalPerson(slug).jobs
      const seen: Person[] = []
      const companies: string[] = []
      const watching = { ApiKey: service.liveKey, 'content-type': 'application/json' }
      const watch = JSON.stringify({ kind: 'people', id: slug })
      for (const { provider, what } of steps) {
        onlyFrom(provider)
        service.clock.advance({ minutes: 1 })
        const first = seen[0]
        if (what === 'employer') companies.push(await companyId(job?.company.slug ?? ''))
        else seen.push(await person(what === 'by key' && first ? first.member_urn : slug))
        if (!first) {
          await service.get('/v1/watches', watching, 'POST', watch)
          await runDueWatches(service.service, 1)
        }
      }

      const [first, ...later] = seen
      if (!first) return
      const ids = new Map<string, string>()
      for (const [name, id] of seen.flatMap(employers)) expect(ids.set(name, ids.get(name) ?? id).get(name)).toBe(id)
      for (const [index, record] of later.entries()) {
        expect(record.member_urn).toBe(first.member_urn)
        expect(['none', 'unknown']).toContain(jobChange(seen[index] ?? first, record).kind)
      }
      for (const id of new Set(employers(first).map(([, each]) => each))) onlyAnswers(await companyId(id, ''), id)
      expectNumberOnce(companies)
      await expectNoJobChange(first.member_urn, seen.length)
    }),
    { numRuns: runs },
  )
})

/** A derived id in a record finds its company, whose own id may be the number by now. */
function onlyAnswers(answered: string, asked: string): void {
  expect(answered === asked || asked.startsWith('vitae-'), `${asked} gave ${answered}`).toBe(true)
}

/** A company shows the platform's number from the moment it is known. */
function expectNumberOnce(shown: readonly string[]): void {
  const known = shown.findIndex((id) => /^\d+$/.test(id))
  const [before, after] = known < 0 ? [shown, []] : [shown.slice(0, known), shown.slice(known)]
  expect([new Set(before).size <= 1, new Set(after).size <= 1]).toEqual([true, true])
}

async function expectNoJobChange(urn: string, versions: number): Promise<void> {
  const path = `/records/people/${encodeURIComponent(urn)}`
  const { changes } = await service.admin<{ changes: { kind: string }[] }>('GET', `${path}/diff?from=2000-01-01`)
  expect(changes.map(({ kind }) => kind)).not.toContain('job_change')
  const kept = await service.admin<{ versions: unknown[] }>('GET', `${path}/history`)
  expect(kept.versions.length).toBeGreaterThanOrEqual(versions)
  const { store } = service.service
  const { bytes } = await readFeed(store.events, { after: 0, limit: 10_000, coding: null, now: service.clock.now() })
  const told = (JSON.parse(Buffer.from(bytes).toString()) as EventFeed).events.map(({ type }) => type)
  expect(told.filter((type) => type === 'person.job_changed')).toEqual([])
}
