import { describe, expect, onTestFinished, test } from 'vitest'
import { recallTogether, type Known } from '../../src/lookup/recall/recall-record.ts'
import { RecordCache } from '../../src/lookup/recall/record-cache.ts'
import { SingleFlight } from '../../src/foundation/pacing/single-flight.ts'
import { engines } from '../harness/engines.ts'
import { asking, fetched, noon, openTestStore, secret, slugOf } from '../records/store-fixture.ts'

describe.each(engines)('store reads on $name', (engine) => {
  /** A store that knows Ada, whose replies to reads wait until they are released. */
  async function open() {
    const { store, close } = await openTestStore(engine)
    onTestFinished(close)
    await store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))
    const gate = Promise.withResolvers<void>()
    let looks = 0
    const slow: Pick<typeof store.records, 'readRecord' | 'foldEntity' | 'companyPage'> = {
      foldEntity: (args) => store.records.foldEntity(args),
      companyPage: (args) => store.records.companyPage(args),
      async readRecord(args) {
        looks++
        const found = await store.records.readRecord(args)
        await gate.promise
        return found
      },
    }
    const cache = new RecordCache(1_000_000)
    const deps = { cache, store: { records: slow }, secret, recalls: new SingleFlight<Known>() }
    const look = () => recallTogether(deps, slugOf('ada')).catch((error: unknown) => error)
    return { store, cache, look, letGo: () => gate.resolve(), looks: () => looks }
  }

  test('are shared by concurrent requests for the same record', async () => {
    const { look, letGo, looks, cache } = await open()

    const asked = [look(), look(), look()]
    letGo()

    const [first, ...others] = await Promise.all(asked)
    expect(first).toMatchObject({ record: { kind: 'people' } })
    for (const other of others) expect(other).toBe(first)
    expect(looks()).toBe(1)
    expect(cache.get('people/slug/ada')).toBeDefined()
  })

  test('from before a suppression are not shared or cached afterwards', async () => {
    const { store, cache, look, letGo, looks } = await open()
    const before = look()
    const { suppressionHash } = asking(slugOf('ada'))
    await store.suppressionChanges.addSuppressions({
      hashes: [suppressionHash],
      kind: 'people',
      origin: 'operator',
      reason: null,
      actor: 'owner',
      at: noon,
    })
    cache.forgetAlias('people/slug/ada')

    const after = look()
    letGo()

    expect(await before).toMatchObject({ record: { kind: 'people' } })
    expect(await after).toEqual({ record: null, notFoundAt: null, suppressed: true })
    expect(looks()).toBe(2)
    expect(cache.get('people/slug/ada')).toBeUndefined()
  })

  test('are not shared while changes elsewhere cannot reach this process', async () => {
    const { cache, look, letGo, looks } = await open()
    cache.mayCache = () => false

    const asked = [look(), look()]
    letGo()
    await Promise.all(asked)

    expect(looks()).toBe(2)
  })
})
