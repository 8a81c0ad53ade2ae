import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takesOver } from '../../../src/records/rows/add-version.ts'
import { engines } from '../../harness/engines.ts'
import { asking, day, noon, openTestStore, recordIn, slugOf, type TestStore } from '../store-fixture.ts'

const miss = (slug: string, at: number) => ({
  ...asking(slugOf(slug)),
  provider: 'mirror',
  at,
  status: 404,
  cost: null,
  durationMs: 3,
  payload: Buffer.from('{"detail":"unknown"}'),
})

describe.each(engines)('stored copies on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)
  const recall = (slug: string) => fixture.store.records.readRecord(asking(slugOf(slug)))

  test('a 404 withdraws the copy under that name only, and a later fetch restores it', async () => {
    await save({ slug: 'ada', number: 1, more: [{ type: 'slug', value: 'ada-other' }] })
    await fixture.store.records.saveMiss(miss('ada', noon + 1))

    expect(await recall('ada')).toMatchObject({ suppressed: false, notFoundAt: noon + 1, copy: null })
    expect((await recall('ada-other')).copy).not.toBeNull()
    const back = await save({ slug: 'ada', number: 1, at: noon + 2 })
    expect(await recall('ada')).toMatchObject({ notFoundAt: null, copy: { versionId: back.versionId } })
  })

  test('a fetch that a 404 overtook does not restore the copy', async () => {
    await fixture.store.records.saveMiss(miss('ada', noon + 5))
    await save({ slug: 'ada', number: 1, at: noon })
    expect(await recall('ada')).toEqual({ suppressed: false, notFoundAt: noon + 5, copy: null })
  })

  test('a miss of an unknown name is remembered without an entity', async () => {
    await fixture.store.records.saveMiss(miss('nobody', noon))
    expect(await recall('nobody')).toEqual({ suppressed: false, notFoundAt: noon, copy: null })
    expect(await fixture.store.entities.history({ ref: { identifier: slugOf('nobody') } })).toBeNull()
  })

  test('a thin answer is stored but does not replace a fuller copy younger than 90 days', async () => {
    const full = await save({ slug: 'ada', number: 1 })
    const thin = await save({ slug: 'ada', number: 1, thin: true, at: noon + 89 * day })
    expect((await recall('ada')).copy?.versionId).toBe(full.versionId)
    const late = await save({ slug: 'ada', number: 1, thin: true, at: noon + 90 * day })
    expect((await recall('ada')).copy).toMatchObject({ versionId: late.versionId, thin: true })
    const history = await fixture.store.entities.history({ ref: { identifier: slugOf('ada') } })
    expect(history?.versions.map((version) => version.versionId)).toEqual([
      late.versionId,
      thin.versionId,
      full.versionId,
    ])
  })

  test('a copy replaces the served one unless it is older, or thin beside a fuller one', () => {
    const facts = (fetchedAt: number, thin: boolean) => ({ fetchedAt, thin })
    expect(takesOver(null, facts(0, true), Infinity)).toBe(true)
    expect(takesOver(facts(5, false), facts(4, false), Infinity)).toBe(false)
    expect(takesOver(facts(5, true), facts(6, true), Infinity)).toBe(true)
    expect(takesOver(facts(0, false), facts(90 * day - 1, true), Infinity)).toBe(false)
    expect(takesOver(facts(0, false), facts(90 * day, true), Infinity)).toBe(true)
  })

  test('the unmodified bytes of every answer are stored once and returned, including errors', async () => {
    const payload = Buffer.from([0, 255, 1, 254, 10, 13, 195, 40])
    const fault = {
      ...asking(slugOf('ada')),
      provider: 'mirror',
      at: noon,
      status: 500,
      outcome: 'unavailable',
      durationMs: 9,
      payload,
    }
    const first = await fixture.store.records.saveFault(fault)
    const second = await fixture.store.records.saveFault({ ...fault, at: noon + 1 })

    const raw = await fixture.store.entities.rawPayload({ fetchId: first.fetchId! })
    expect(raw).toMatchObject({
      provider: 'mirror',
      status: 500,
      outcome: 'unavailable',
      at: noon,
      identifier: 'slug:ada',
      redacted: false,
    })
    expect(Buffer.from(raw!.payload!).equals(payload)).toBe(true)
    expect(second.fetchId).not.toBe(first.fetchId)
    expect(await fixture.db.selectFrom('payloads').selectAll().execute()).toHaveLength(1)
    const silent = await fixture.store.records.saveFault({ ...fault, status: null, outcome: 'timeout', payload: null })
    expect((await fixture.store.entities.rawPayload({ fetchId: silent.fetchId! }))?.payload).toBeNull()
    expect(await fixture.store.entities.rawPayload({ fetchId: 999 })).toBeNull()
  })

  test('a version is recalled by its id for a replay, even if it is no longer the current one', async () => {
    const first = await save({ slug: 'ada', number: 1, record: { headline: 'one' } })
    await save({ slug: 'ada', number: 1, at: noon + 1, record: { headline: 'two' } })
    expect(recordIn(await fixture.store.records.readVersion({ versionId: first.versionId })).headline).toBe('one')
    expect(await fixture.store.records.readVersion({ versionId: 999 })).toBeNull()
  })

  test('an operator finds entities by slug, key, any alias and words of a name', async () => {
    await save({ slug: 'ada-example', number: 1, more: [{ type: 'vendor', value: 'V-9' }] })
    await save({ kind: 'companies', slug: 'example-works', number: 77 })
    const find = async (text: string, more = {}) =>
      (await fixture.store.entities.searchEntities({ text, limit: 10, ...more })).items.map((item) => item.key)

    expect(await find('ada-ex')).toEqual(['urn:li:member:1'])
    expect(await find('ÁDA  Exa')).toEqual(['urn:li:member:1'])
    expect(await find('V-9')).toEqual(['urn:li:member:1'])
    expect(await find('urn:li:member:1')).toEqual(['urn:li:member:1'])
    expect(await find('77')).toEqual(['77'])
    expect(await find('exam', { kind: 'companies' })).toEqual(['77'])
    expect(await find('exam', { kind: 'people' })).toEqual(['urn:li:member:1'])
    expect(await find('%')).toEqual([])
    expect(await find('')).toEqual(['77', 'urn:li:member:1'])
    const page = await fixture.store.entities.searchEntities({ text: '', limit: 1 })
    expect(page.next).not.toBeNull()
    expect(
      (await fixture.store.entities.searchEntities({ text: '', limit: 1, cursor: page.next })).items.map(
        (item) => item.key,
      ),
    ).toEqual(['urn:li:member:1'])
  })
})
