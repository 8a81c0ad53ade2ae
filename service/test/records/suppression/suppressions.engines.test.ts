import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { suppressionHash, suppressionHashes } from '../../../src/records/suppression/suppression-hash.ts'
import { engines } from '../../harness/engines.ts'
import { asking, fetched, noon, openTestStore, secret, slugOf, type TestStore } from '../store-fixture.ts'

const hashOf = (value: string) => suppressionHash(secret, 'people', { type: 'slug', value })

describe('suppression hashes', () => {
  test('depend on the secret, the kind, the type and the value, and not on the case of a slug', () => {
    const all = [
      hashOf('ada'),
      hashOf('ada-1'),
      suppressionHash('another', 'people', { type: 'slug', value: 'ada' }),
      suppressionHash(secret, 'companies', { type: 'slug', value: 'ada' }),
      suppressionHash(secret, 'people', { type: 'opaque', value: 'ada' }),
      suppressionHash(secret, 'people', { type: 'opaque', value: 'ADA' }),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(hashOf('ADA')).toBe(hashOf('ada'))
    expect(hashOf('zoe\u0308')).toBe(hashOf('zo\u00eb'))
    expect(hashOf('ada')).toMatch(/^[0-9a-f]{64}$/)
  })

  test('of an identity cover its key, every alias and the requested name', () => {
    const identity = { key: 'urn:li:member:1', derived: false, aliases: [{ type: 'slug', value: 'Ada' }] }
    expect(suppressionHashes(secret, 'people', identity, { type: 'slug', value: 'old' }).toSorted()).toEqual(
      [
        hashOf('ada'),
        hashOf('old'),
        suppressionHash(secret, 'people', { type: 'urn', value: 'urn:li:member:1' }),
      ].toSorted(),
    )
  })
})

describe.each(engines)('suppressions on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const add = (values: string[], at = noon) =>
    fixture.store.suppressionChanges.addSuppressions({
      hashes: values.map(hashOf),
      kind: 'people',
      origin: 'operator',
      reason: 'feed',
      actor: 'owner',
      at,
    })

  test('a suppressed subject is not written under any name, not even its payload', async () => {
    await add(['ada'])
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))).toEqual({ suppressed: true })
    expect(
      await fixture.store.records.saveFetch(
        fetched({ slug: 'new', number: 1, more: [{ type: 'slug', value: 'ada' }] }),
      ),
    ).toEqual({ suppressed: true })
    for (const table of ['payloads', 'fetches', 'entities', 'aliases'] as const) {
      expect(await fixture.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })

  test('a suppressed name is not served, and is served again once it is removed', async () => {
    await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))
    expect(await add(['ada'])).toEqual({ added: 1 })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).suppressed).toBe(true)
    expect(await fixture.store.suppressions.isSuppressed({ hashes: [hashOf('bea'), hashOf('ada')] })).toBe(true)
    expect(
      await fixture.store.suppressionChanges.removeSuppressions({
        hashes: [hashOf('ada')],
        reason: 'mistake',
        actor: 'owner',
        at: noon,
      }),
    ).toEqual({ removed: 1 })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy).not.toBeNull()
    expect(await fixture.store.suppressions.isSuppressed({ hashes: [hashOf('ada')] })).toBe(false)
  })

  test('the list is paged by the time of its entries, and a repeated name keeps its date', async () => {
    await add(['a', 'b', 'c'], noon)
    await add(['c', 'd'], noon + 5)
    const first = await fixture.store.suppressions.listSuppressions({ limit: 3 })
    const second = await fixture.store.suppressions.listSuppressions({ limit: 3, cursor: first.next })
    expect([...first.items, ...second.items].map((item) => item.createdAt)).toEqual([noon, noon, noon, noon + 5])
    expect(second.next).toBeNull()
    expect(
      (await fixture.store.suppressions.exportSuppressions({ limit: 9, since: noon + 1 })).items.map(
        (item) => item.hash,
      ),
    ).toEqual([hashOf('d')])
  })

  test('an exported list can be imported into another store unchanged', async () => {
    await add(['a', 'b'])
    const { items } = await fixture.store.suppressions.exportSuppressions({ limit: 9 })
    await fixture.db.deleteFrom('suppressions').execute()
    expect(await fixture.store.suppressionChanges.importSuppressions({ items, actor: 'owner', at: noon + 9 })).toEqual({
      added: 2,
    })
    expect((await fixture.store.suppressions.exportSuppressions({ limit: 9 })).items).toEqual(items)
  })

  test('every change of the list is audited', async () => {
    await add(['a'])
    await fixture.store.suppressionChanges.removeSuppressions({
      hashes: [hashOf('a')],
      reason: null,
      actor: 'owner',
      at: noon,
    })
    await fixture.store.suppressionChanges.importSuppressions({ items: [], actor: 'owner', at: noon })
    const rows = await fixture.db.selectFrom('audit').select('action').orderBy('id').execute()
    expect(rows.map((row) => row.action)).toEqual(['suppressions.add', 'suppressions.remove', 'suppressions.import'])
  })
})
