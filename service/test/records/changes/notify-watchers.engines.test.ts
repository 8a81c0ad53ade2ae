interface Saving {
  provider?: string
  unsaid?: string
  thin?: boolean
  days?: number
  /** How much older than its arrival the answer is. */
  ageDays?: number
}

import type { ExperienceGroup, Person } from '@vitae/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '../../../src/events/outbox/read-events.ts'
import { eraseSubject } from '../../../src/lifecycle/erasure/erase-subject.ts'
import { engines } from '../../harness/engines.ts'
import { addEnvironment } from '../../credits/ledger.ts'
import { day, fetched, noon, openTestStore, secret, type TestStore } from '../store-fixture.ts'

interface Notified {
  type: string
  changes: { kind: string; path: string; before: unknown; after: unknown }[]
}

function job(companyId: string, title: string, start = '2021'): ExperienceGroup {
  const date_range = { start: { year: Number(start), month: null, day: null, iso: start }, end: null }
  const position = { title, description: null, location_name: null, employment_type: null, date_range }
  return {
    company_name: `Company ${companyId}`,
    company_id: companyId,
    company_url: null,
    date_range,
    positions: [position],
  } as unknown as ExperienceGroup
}

describe.each(engines)('events of watched records on $name', (engine) => {
  let database: TestStore
  let last = 0
  beforeAll(async () => {
    database = await openTestStore(engine)
  })
  afterAll(() => database.close())

  /** A person who was fetched once, and the environments that watch them. */
  async function watched(record: Partial<Person>, watchers = 1) {
    const number = 7_000 + (last += 1)
    const slug = `person-${number}`
    const save = async (next: Partial<Person>, more: Saving = {}) => {
      const { days = 1, ageDays = 0, unsaid = null, ...rest } = more
      const save = fetched({ slug, number, record: next, at: noon + days * day, ...rest })
      return database.store.records.saveFetch({ ...save, fetchedAt: save.at - ageDays * day, unsaid })
    }
    const first = await save(record, { days: 0 })
    if (first.suppressed) throw new Error('not saved')
    const environmentIds: number[] = []
    for (let index = 0; index < watchers; index++) {
      const environmentId = await addEnvironment(database, { project: `p-${number}`, environment: `e${index}` }, 0)
      environmentIds.push(environmentId)
      const row = {
        id: `w-${environmentId}`,
        account_id: environmentId,
        key_id: 'k1',
        kind: 'people',
        type: 'slug',
      } as const
      await database.db
        .insertInto('watches')
        .values({ ...row, value: slug, entity_id: first.entityId, every_days: 7, created_at: 0, next_due: 0 })
        .execute()
    }
    const events = async (environmentId = environmentIds[0]) =>
      (await readEvents(database, { after: 0, limit: 50, now: noon, ...(environmentId ? { environmentId } : {}) })).map(
        ({ event }) => ({ type: event.type, ...(event.data as object) }) as unknown as Notified,
      )
    return { save, events, environmentIds, first, slug, number }
  }

  test('a version is compared with the last megabytes of versions, not with two hundred large ones', async () => {
    const large = { summary: 'x'.repeat(900_000) }
    const { save, events } = await watched({ headline: 'First', ...large })
    await save({ headline: 'Other', ...large }, { provider: 'b' })
    await save({ headline: 'Another', ...large }, { provider: 'c', days: 2 })

    await save({ headline: 'Second', ...large }, { days: 3 })
    const old = await events()
    await save({ headline: 'Third', ...large }, { days: 4 })

    expect(old).toEqual([])
    expect((await events()).flatMap(({ changes }) => changes)).toMatchObject([{ before: 'Second', after: 'Third' }])
  })

  test('a job change is notified with both employers and both versions, and causes no other change', async () => {
    const { save, events, first, number } = await watched({ experience: [job('11', 'Chemist')] })
    const second = await save({ experience: [job('12', 'Chemist', '2024')] })

    expect(await events()).toEqual([
      {
        type: 'person.job_changed',
        kind: 'people',
        id: `urn:li:member:${number}`,
        changes: [
          {
            kind: 'job_change',
            path: 'experience',
            before: { company_id: '11', company_name: 'Company 11', title: 'Chemist' },
            after: { company_id: '12', company_name: 'Company 12', title: 'Chemist' },
          },
        ],
        from: expect.objectContaining({ version: first.versionId, provider: 'mirror' }),
        to: expect.objectContaining({ version: (second as typeof first).versionId, provider: 'mirror' }),
        provider: 'mirror',
        source: 'live',
      },
    ])
  })

  test('a promotion and a new headline in one fetch are two events, with the values of each', async () => {
    const { save, events } = await watched({ headline: 'Chemist', experience: [job('11', 'Chemist')] })
    const positions = [...job('11', 'Head', '2024').positions, ...job('11', 'Chemist').positions]
    await save({ headline: 'Head of lab', experience: [{ ...job('11', 'Head'), positions }] })

    const notified = await events()
    expect(notified.map(({ type }) => type).toSorted()).toEqual(['person.changed', 'person.promoted'])
    expect(notified.find(({ type }) => type === 'person.changed')?.changes).toContainEqual({
      kind: 'headline',
      path: 'headline',
      before: 'Chemist',
      after: 'Head of lab',
    })
  })

  test('an environment with a route is notified only of changes between versions of its providers', async () => {
    const { save, events, environmentIds } = await watched({ headline: 'Chemist' }, 2)
    const [limited, other] = environmentIds
    await database.db
      .updateTable('environments')
      .set({ route: '["mirror"]' })
      .where('id', '=', limited ?? 0)
      .execute()
    await save({ headline: 'Said by another' }, { provider: 'harvestapi', days: 1 })
    await save({ headline: 'Said by another still' }, { provider: 'harvestapi', days: 2 })
    await save({ headline: 'Head of lab' }, { provider: 'mirror', days: 3 })
    const headlines = (heard: Notified[]) =>
      heard.flatMap(({ changes }) =>
        changes.filter(({ path }) => path === 'headline').map(({ before, after }) => [before, after]),
      )

    expect(headlines(await events(limited))).toEqual([['Chemist', 'Head of lab']])
    expect(headlines(await events(other))).toEqual([
      ['Said by another', 'Said by another still'],
      ['Chemist', 'Head of lab'],
    ])
  })

  test('a thin, an unchanged or an older answer and a 404 notify nobody', async () => {
    const record = { headline: 'Chemist', experience: [job('11', 'Chemist')] }
    const { save, events, slug } = await watched(record)
    await save({}, { thin: true })
    await save(record, { days: 2 })
    await save({ experience: [job('12', 'Chemist')] }, { days: 2, ageDays: 5 })
    const identifier = { kind: 'people', type: 'slug', value: slug } as const
    const miss = { identifier, suppressionHash: '', provider: 'mirror', at: noon + 3 * day, status: 404 }
    await database.store.records.saveMiss({ ...miss, durationMs: 1, payload: null, cost: null })
    await save(record, { days: 4 })

    expect(await events()).toEqual([])
  })

  test('another provider that describes the same job differently causes no event', async () => {
    const { save, events } = await watched({ headline: 'Chemist', experience: [job('11', 'Chemist')] })
    await save({ headline: 'chemist at 11', experience: [job('page-eleven', 'chemist')] }, { provider: 'directory' })
    expect(await events()).toEqual([])
  })

  test('a provider that returns after another has answered reports the job change it missed, once', async () => {
    const { save, events, first } = await watched({ experience: [job('11', 'Chemist')] })
    await save({ experience: [job('12', 'Chemist', '2024')] }, { provider: 'harvestapi', days: 1 })
    for (const days of [2, 3, 4]) await save({ experience: [job('12', 'Chemist', '2024')] }, { days })

    const told = await events()
    expect(told.map(({ type }) => type)).toEqual(['person.job_changed'])
    expect(told[0]).toMatchObject({
      changes: [{ kind: 'job_change', before: { company_id: '11' }, after: { company_id: '12' } }],
      from: { version: first.versionId, provider: 'mirror' },
    })
  })

  test('a version that does not state jobs never means that all were left', async () => {
    const { save, events } = await watched({ headline: 'Chemist', experience: [job('11', 'Chemist')] })
    const undated = { ...job('11', 'Chemist'), date_range: null }
    const positions = undated.positions.map((one) => ({ ...one, date_range: null }))
    await save({ headline: 'Chemist', experience: [] }, { unsaid: 'experience,skills' })
    await save({ headline: 'Chemist', experience: [{ ...undated, positions }] }, { days: 2, unsaid: 'experience' })
    expect(await events()).toEqual([])

    await save({ headline: 'Chemist', experience: [job('12', 'Chemist', '2024')] }, { days: 3 })
    expect((await events()).map(({ type, changes }) => [type, changes[0]?.before])).toEqual([
      ['person.job_changed', expect.objectContaining({ company_id: '11' })],
    ])
  })

  test('changes are notified when a merge brings them: in the merging version, and in those of the other record', async () => {
    const stay = { experience: [job('11', 'Chemist')] }
    const move = { experience: [job('12', 'Chemist', '2024')] }
    const byMerge = await watched(stay)
    const byOther = await watched(stay)
    const elsewhere = (name: string, days: number) => ({ slug: name, provider: 'harvestapi', at: noon + days * day })
    await byOther.save(stay, { provider: 'harvestapi', days: 1 })
    for (const { number } of [byMerge, byOther])
      await database.store.records.saveFetch(fetched({ ...elsewhere(`renamed-${number}`, 2), record: move }))

    const joined = ({ number }: typeof byMerge, record: Partial<Person>, unsaid: string | null) => {
      const save = fetched({ slug: `renamed-${number}`, number, record, at: noon + 3 * day })
      return database.store.records.saveFetch({ ...save, fetchedAt: save.at, unsaid })
    }
    const merged = [await joined(byMerge, move, null), await joined(byOther, { experience: [] }, 'experience')]
    await byOther.save(move, { provider: 'harvestapi', days: 4 })

    expect(merged.map((saved) => !saved.suppressed && saved.absorbed.length)).toEqual([1, 1])
    for (const { events } of [byMerge, byOther]) {
      const changes = (await events()).filter(({ type }) => type === 'person.job_changed').flatMap((one) => one.changes)
      expect(changes).toMatchObject([{ before: { company_id: '11' }, after: { company_id: '12' } }])
    }
  })

  test('no event contains contact details', async () => {
    const contact = (email: string) => ({ contact_info: { email_address: email } }) as unknown as Partial<Person>
    const { save, events } = await watched(contact('a@example.com'))
    await save(contact('b@example.com'))
    expect(await events()).toEqual([])
  })

  test('every watching environment is notified, and no other', async () => {
    const { save, events, environmentIds } = await watched({ headline: 'Chemist' }, 2)
    const other = await addEnvironment(database, { project: 'other', environment: `o${last}` }, 0)
    await save({ headline: 'Head' })

    const counts = await Promise.all([...environmentIds, other].map(async (id) => (await events(id)).length))
    expect(counts).toEqual([1, 1, 0])
  })

  test('an erasure removes the events about the subject and those that mention it', async () => {
    const one = await watched({ headline: 'Chemist' })
    const friend = await watched({ headline: 'Chemist' })
    await one.save({ headline: 'Head of lab' })
    await friend.save({ headline: `Works with https://www.linkedin.com/in/${one.slug}` })
    expect([await one.events(), await friend.events()].map((all) => all.length)).toEqual([1, 1])

    const identifier = { kind: 'people', type: 'slug', value: one.slug } as const
    const how = { secret, reason: null, actor: 'owner', at: noon }
    await eraseSubject(database.store, database.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier },
      ...how,
    })

    expect([await one.events(), await friend.events()]).toEqual([[], []])
  })
})
