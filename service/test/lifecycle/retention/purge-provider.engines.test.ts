import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  noPurgeCounts,
  purgeSteps,
  type PurgeCounts,
  type PurgeStep,
} from '../../../src/lifecycle/store/retention/purge-provider.ts'
import { runSteps } from '../../../src/lifecycle/store/retention/run-steps.ts'
import { engines } from '../../harness/engines.ts'
import { asking, fetched, noon, openTestStore, recordIn, slugOf, type TestStore } from '../../records/store-fixture.ts'

const day = 86_400_000

describe.each(engines)('a purge on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())

  function purge(provider: string, dryRun: boolean) {
    const args = { provider, limit: 2, dryRun, reason: null, actor: 'owner', at: noon }
    return runSteps<PurgeStep, PurgeCounts>({
      first: purgeSteps[0],
      none: noPurgeCounts(),
      runChunk: (cursor) => fixture.store.upkeep.purgeProviderChunk({ ...args, cursor }),
    })
  }

  test("removes one provider's data as its plan said, and serves other providers' data", async () => {
    const ended = { provider: 'coresignal', more: [{ type: 'coresignal', value: '77' }] }
    const first = await fixture.save({ slug: 'ada', number: 1, ...ended })
    await fixture.db.insertInto('idempotency').values(idempotencyRecordOf(first.versionId)).execute()
    await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1, provider: 'coresignal', at: noon + day }))
    await fixture.store.records.saveFetch(
      fetched({ slug: 'bea', number: 2, record: { headline: 'stays' }, at: noon - day }),
    )
    await fixture.store.records.saveFetch(
      fetched({ slug: 'bea', number: 2, provider: 'coresignal', record: { headline: 'goes' } }),
    )
    await fixture.store.records.saveFetch(fetched({ slug: 'cleo', number: 3 }))

    const plan = await purge('coresignal', true)
    const removed = await purge('coresignal', false)

    expect(plan).toMatchObject({ entities: 1, versions: 3, fetches: 3, names: 1, replays: 1 })
    expect(removed).toMatchObject({ entities: 1, versions: 3, fetches: 3 })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy).toBeNull()
    expect(recordIn((await fixture.store.records.readRecord(asking(slugOf('bea')))).copy).headline).toBe('stays')
    expect((await fixture.store.records.readRecord(asking(slugOf('cleo')))).copy).not.toBeNull()
    expect(await purge('coresignal', true)).toMatchObject({ versions: 0, fetches: 0, payloads: 0, names: 0 })
    // The answer is gone, but its payment is remembered, so that no retry pays again.
    const remembered = fixture.db.selectFrom('idempotency').select(['hash', 'fingerprint', 'version_id'])
    expect(await remembered.execute()).toEqual([{ hash: 'h', fingerprint: 'f', version_id: null }])
    // Removed because of a contract, not on request, so another provider may supply it again.
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))).toMatchObject({
      suppressed: false,
    })
  })
})

/** The idempotency record of a call that returned a version. */
function idempotencyRecordOf(versionId: number | null) {
  return {
    account_id: 1,
    hash: 'h',
    fingerprint: 'f',
    state: 'done' as const,
    request_id: 'r1',
    version_id: versionId,
    source: 'store',
    created_at: noon,
    expires_at: noon,
  }
}
