import type { RecordChanges } from '@vitae/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { notifyOfMerges } from '../../../src/lifecycle/records/notify-of-merges.ts'
import { retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

const [runs, steps] = process.env['VITAE_TEST_LONG'] === '1' ? [12, 60] : [2, 22]
let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

/** A caller's copy: the newest answer under each key, kept correct only by the list of changes. */
class Copy {
  readonly records = new Map<string, string>()
  readonly caller: TestCaller
  cursor = '0'

  constructor(caller: TestCaller) {
    this.caller = caller
  }

  /** Returns whether there was a record. */
  async look(slug: string, query = ''): Promise<boolean> {
    const { status, json } = await service.person(slug, query, { ApiKey: this.caller.key })
    if (status === 200) this.records.set(String(json['member_urn']), slug)
    return status === 200
  }

  async follow(): Promise<void> {
    for (;;) {
      const { json } = await service.get(`/v1/records/changes?limit=3&after=${this.cursor}`, {
        ApiKey: this.caller.key,
      })
      const { changes, next } = json as unknown as RecordChanges
      for (const { id, change, to } of changes) {
        const kept = this.records.get(id)
        this.records.delete(id)
        if (change === 'merged' && to !== null && kept !== undefined) this.records.set(to, kept)
      }
      this.cursor = next
      if (changes.length === 0) return
    }
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('look' as const),
      who: fc.nat(3),
      by: fc.nat(1),
      slug: fc.constantFrom('old', 'new'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('merge', 'split', 'erase'), who: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('purge', 'restart', 'follow', 'notify') }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** People with two pages, which their provider does not connect until a merge. */
class Run {
  readonly copies: Copy[]
  readonly stranger: Copy
  readonly name: number
  readonly erased = new Set<number>()

  constructor(name: number, copies: Copy[], stranger: Copy) {
    this.name = name
    this.copies = copies
    this.stranger = stranger
    for (const who of [0, 1, 2, 3]) {
      this.says(who, 'old', {})
      this.says(who, 'new', { member_urn: this.urn(who) })
    }
  }

  slug = (who: number, page: string) => `copy-${this.name}-${who}-${page}`
  urn = (who: number) => `urn:li:member:${90_000_000 + this.name * 10 + who}`

  says(who: number, page: string, fields: object): void {
    const names = { first_name: `Iris${who}`, last_name: 'Fiction', member_urn: null, entity_urn: null }
    const slug = this.slug(who, page)
    service.upstream.people.set(slug, { ...contractPerson(slug), ...names, ...fields })
  }

  async take(each: Step): Promise<void> {
    service.clock.advance({ minutes: 1 })
    if (each.do === 'look' && 'by' in each) await this.copies[each.by]?.look(this.slug(each.who, each.slug))
    else if (each.do === 'follow') for (const copy of this.copies) await copy.follow()
    else if (each.do === 'notify') await notifyOfMerges(service.service)
    else if (each.do === 'restart') await service.restart()
    else if (each.do === 'purge') await this.#purge()
    else if ('who' in each) await this.#change(each)
  }

  async #change({ do: what, who }: { do: string; who: number }): Promise<void> {
    if (what === 'erase') {
      this.erased.add(who)
      // Each page may be a separate record.
      for (const page of ['old', 'new'])
        await service.admin('POST', `/records/people/${this.slug(who, page)}/erase`, {
          reason: 'asked',
          erase_suspects: true,
        })
    } else if (what === 'merge') {
      this.says(who, 'old', { member_urn: this.urn(who) })
      await this.copies[0]?.look(this.slug(who, 'old'), '&bypass_cache=true')
    } else await this.#split(who)
  }

  async #split(who: number): Promise<void> {
    const ref = this.slug(who, 'old')
    const headers = { authorization: `Bearer ${service.service.admin.ownerToken}`, 'content-type': 'application/json' }
    const found = await service.get(`/admin/v1/records/people/${ref}`, headers)
    const fetches = (found.json['fetches'] ?? []) as { id: number }[]
    const body = JSON.stringify({ reason: 'two people', fetches: fetches.slice(0, 1).map(({ id }) => id) })
    // Refused if nothing would be left for one of the two.
    await service.get(`/admin/v1/records/people/${ref}/split`, headers, 'POST', body)
  }

  async #purge(): Promise<void> {
    service.clock.advance({ days: 2 })
    const rules = { ...service.service.retention, unusedRecordDays: 1 }
    await retentionRun(service.service.store, { now: service.clock.now(), rules, actor: 'test' })
    await service.service.recordsChanged()
  }

  async check(): Promise<void> {
    await notifyOfMerges(service.service)
    for (const copy of this.copies) {
      await copy.follow()
      for (const key of copy.records.keys()) {
        const stored = await service.service.store.entities.showEntity({ kind: 'people', ref: { key } })
        expect(stored?.key, `${key} of ${copy.records.get(key)}`).toBe(key)
      }
    }
    await this.stranger.follow()
    expect(this.stranger.cursor).toBe('0')
  }
}

test("a caller's copy that follows the list of changes has no erased, purged or wrongly keyed record, and other environments see nothing", async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: steps, maxLength: steps }), async (taken) => {
      const callers = await Promise.all([1_000, 1_000, 1_000].map((credits) => service.newCaller(credits)))
      const [one, two, stranger] = callers.map((caller) => new Copy(caller))
      if (!one || !two || !stranger) throw new Error('three callers')
      const own = new Run((run += 1), [one, two], stranger)
      for (const each of taken) await own.take(each)
      await own.check()
    }),
    { numRuns: runs, endOnFailure: true },
  )
})

test('an erasure is listed for every environment under every key that it was given, even without the call log, and for nobody else', async () => {
  const [one, two, stranger] = await Promise.all([20, 20, 20].map((credits) => service.newCaller(credits)))
  if (!one || !two || !stranger) throw new Error('three callers')
  const names = { first_name: 'Ida', last_name: 'Fiction', entity_urn: null }
  const says = (slug: string, member_urn: string | null) =>
    service.upstream.people.set(slug, { ...contractPerson(slug), ...names, member_urn })
  const keyOf = async (caller: TestCaller, slug: string, query = '') =>
    String((await service.person(slug, query, { ApiKey: caller.key })).json['member_urn'])
  says('ida-old', null)
  says('ida-new', 'urn:li:member:81000001')
  const first = await keyOf(one, 'ida-old')
  const second = await keyOf(two, 'ida-new')
  says('ida-old', second)
  service.clock.advance({ minutes: 1 })
  await keyOf(one, 'ida-old', '&bypass_cache=true')
  service.clock.advance({ days: 2 })
  const rules = { ...service.service.retention, callLogDays: 1 }
  await retentionRun(service.service.store, { now: service.clock.now(), rules, actor: 'test' })

  await service.admin('POST', '/records/people/ida-old/erase', { reason: 'asked' })

  const changesOf = async ({ key }: TestCaller, query = '') =>
    (await service.get(`/v1/records/changes?kind=people${query}`, { ApiKey: key })).json as unknown as RecordChanges
  const seen = async (caller: TestCaller) =>
    (await changesOf(caller)).changes.map(({ id, change, to }) => `${id} ${change} ${to}`)
  const events = await service.get('/v1/events?type=record.erased', { ApiKey: one.key })
  expect(first).not.toBe(second)
  expect(await seen(one)).toEqual([`${first} erased null`])
  expect(new Set(await seen(two))).toEqual(new Set([`${first} erased null`, `${second} erased null`]))
  expect(await seen(stranger)).toEqual([])
  expect(events.json['events']).toMatchObject([{ type: 'record.erased', data: { kind: 'people', id: first } }])
  expect(await service.service.store.entities.showEntity({ kind: 'people', ref: { key: first } })).toBeNull()
  const { next } = await changesOf(two, '&limit=1')
  expect((await changesOf(two, `&after=${next}`)).changes).toHaveLength(1)
})

test('a call that read a record before its erasure and is settled after it is notified of the erasure, and nobody else is', async () => {
  const [first, late, stranger] = await Promise.all([20, 20, 20].map((credits) => service.newCaller(credits)))
  if (!first || !late || !stranger) throw new Error('three callers')
  const known = await service.person('late-nora', '', { ApiKey: first.key })
  const { lookup } = service.service
  const { settle } = lookup
  const [reached, erased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  lookup.settle = async (request) => {
    reached.resolve()
    await erased.promise
    return settle(request)
  }
  const answering = service.person('late-nora', '', { ApiKey: late.key })
  await reached.promise
  lookup.settle = settle
  await service.admin('POST', '/records/people/late-nora/erase', { reason: 'asked' })
  erased.resolve()
  const answer = await answering

  await service.restart()
  await notifyOfMerges(service.service)
  await notifyOfMerges(service.service)

  const changesOf = async ({ key }: TestCaller) => (await service.get('/v1/records/changes', { ApiKey: key })).json
  const erasure = { kind: 'people', id: known.json['member_urn'], change: 'erased', to: null }
  expect([answer.status, answer.json['member_urn']]).toEqual([200, known.json['member_urn']])
  expect(await changesOf(first)).toMatchObject({ changes: [erasure] })
  expect(await changesOf(late)).toMatchObject({ changes: [erasure] })
  expect(await changesOf(stranger)).toMatchObject({ changes: [] })
})

test('a test key gets a fictional list of changes', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const { json } = await service.get('/v1/records/changes?limit=3', { ApiKey: key })
  const { changes, next } = json as unknown as RecordChanges
  const rest = await service.get(`/v1/records/changes?after=${next}`, { ApiKey: key })
  expect([...changes, ...(rest.json as unknown as RecordChanges).changes].map(({ change }) => change)).toEqual([
    'merged',
    'split',
    'purged',
    'erased',
  ])
})
