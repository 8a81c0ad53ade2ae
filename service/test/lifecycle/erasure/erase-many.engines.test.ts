import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eraseSubjects } from '../../../src/lifecycle/erasure/erase-subjects.ts'
import { printsOf } from '../../../src/records/mentions/name-prints.ts'
import { engines } from '../../harness/engines.ts'
import { storeOn } from '../../harness/store-on.ts'
import {
  asking,
  day,
  noon,
  openTestStore,
  secret,
  slugOf,
  subjects,
  type TestStore,
} from '../../records/store-fixture.ts'

const by = { secret, reason: 'asked for it', actor: 'owner', at: noon + 10 * day }
const count = 16
const half = count / 2
const names = Array.from({ length: count }, (_, index) => `person-${index}-quill`)

describe.each(engines)('an erasure of many on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())

  /** The store, with the number of calls of each operation. */
  function counted(): { store: TestStore['store']; asked: Map<string, number> } {
    const asked = new Map<string, number>()
    const store = storeOn(fixture, subjects, (name) => asked.set(name, (asked.get(name) ?? 0) + 1))
    return { store, asked }
  }

  const erase = (slugs: readonly string[], store = fixture.store) =>
    eraseSubjects(
      store,
      fixture.store.suppressionChanges,
      slugs.map((slug) => ({ kind: 'people' as const, ref: { identifier: slugOf(slug) } })),
      by,
    )

  /** Everyone, and a bystander whose payload and record mention each of them. */
  async function plant(): Promise<{ fetchId: number; versionId: number }> {
    for (const [index, slug] of names.entries()) await fixture.save({ slug, number: 900_000 + index })
    const similar = [...names, 'someone-else'].map((slug) => ({ public_identifier: slug, name: slug }))
    const websites = [...names.map((slug) => `https://www.linkedin.com/in/${slug}`), 'https://example.org']
    return fixture.save({ slug: 'bea', number: 2, payload: { similar, pad: 'x'.repeat(9_000) }, record: { websites } })
  }

  async function bystander({ fetchId, versionId }: { fetchId: number; versionId: number }) {
    const raw = await fixture.store.entities.rawPayload({ fetchId })
    const version = await fixture.store.records.readVersion({ versionId })
    const { similar } = JSON.parse(Buffer.from(raw?.payload ?? []).toString()) as { similar: { name: string }[] }
    const { websites } = JSON.parse(Buffer.from(version?.body ?? []).toString()) as { websites: string[] }
    return { similar: similar.map(({ name }) => name), websites }
  }

  const left = { similar: ['someone-else'], websites: ['https://example.org'] }

  test('removes everyone, even from others’ data, with one pass over the store', async () => {
    const bea = await plant()
    const { store, asked } = counted()

    const report = await erase([...names, 'never-seen'], store)

    expect(report.subjects).toEqual([
      ...names.map(() => ({ entities: 1, versions: 1, fetches: 1, payloads: 1 })),
      { entities: 0, versions: 0, fetches: 0, payloads: 0 },
    ])
    expect(report.mentions).toBe(2)
    expect(await bystander(bea)).toEqual(left)
    for (const slug of ['never-seen', ...names])
      expect((await fixture.store.records.readRecord(asking(slugOf(slug)))).suppressed).toBe(true)
    expect((await fixture.store.records.readRecord(asking(slugOf('bea')))).copy).not.toBeNull()
    // The end of the call log is read again.
    const passes = ['erasure.scanMentions', 'erasure.findEventMentions', 'erasure.findBatchRows', 'erasure.findCalls']
    expect([...passes, 'residue.checkpointLog'].map((name) => asked.get(name))).toEqual([1, 1, 1, 2, 1])
  })

  test('finds mentions without fingerprints, and with ones added later', async () => {
    const bea = await plant()
    await fixture.db.deleteFrom('mentions').execute()

    await erase(names.slice(0, half))
    const afterHalf = await bystander(bea)
    for (let after: number | null = 0; after !== null;)
      ({ next: after } = await fixture.store.entities.fillMentions({ after, limit: 5, bodies: 2 }))
    const noted = await fixture.db.selectFrom('mentions').select('fetch_id').execute()
    await erase(names.slice(half))

    expect(afterHalf.similar).toEqual([...names.slice(half), 'someone-else'])
    expect(await bystander(bea)).toEqual(left)
    expect(noted).toHaveLength(half + 1)
  })

  test('removes fingerprints of mentions with their source', async () => {
    await plant()

    await erase(names)

    // Only the bystander's fetch is left, and its mentions have changed.
    expect(await fixture.db.selectFrom('mentions').selectAll().execute()).toEqual([])
  })

  test('does not read a body whose fingerprints rule out a mention', async () => {
    await fixture.save({ slug: 'ada-example-1', number: 900_001 })
    await fixture.save({ slug: 'bea', number: 2, payload: { similar: ['ada-example-1'] } })
    // A search that reads it would find this.
    await fixture.db
      .updateTable('mentions')
      .set({ prints: printsOf([]) })
      .execute()

    expect(await erase(['ada-example-1'])).toMatchObject({ mentions: 0 })
  })

  test('that was interrupted is completed by repeating it', async () => {
    const bea = await plant()
    const scanMentions = () => Promise.reject(new Error('cut off'))
    const cut = { ...fixture.store, erasure: { ...fixture.store.erasure, scanMentions } }

    await expect(erase(names, cut)).rejects.toThrow('cut off')
    const kept = await fixture.store.records.readRecord(asking(slugOf(names[3] ?? '')))
    const again = await erase(names)

    expect(kept).toMatchObject({ suppressed: true, copy: null })
    expect(again.subjects.every(({ entities }) => entities === 1)).toBe(true)
    expect(await bystander(bea)).toEqual(left)
  })
})
