import { projectOperations } from '../../src/accounts/project-operations.ts'
import type { Store } from '../../src/database/engine/operation.ts'
import { keyOperations } from '../../src/accounts/key-operations.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey, displayApiKey, hashApiKey } from '../../src/accounts/api-key.ts'
import { noSettings, type KeySettings } from '../../src/accounts/key.ts'
import { KeyCache } from '../../src/accounts/caller.ts'
import { storeOn } from '../harness/store-on.ts'
import { engines, type TestDatabase } from '../harness/engines.ts'

const subjects = { keys: keyOperations, projects: projectOperations }
const defaultRate = { limit: 7, windowMs: 1_000 }
const actor = 'a test'

describe.each(engines)('the caller of a key on $name', (engine) => {
  let database: TestDatabase
  let store: Store<typeof subjects>
  let reads: number
  beforeAll(async () => {
    database = await engine.open()
    store = storeOn(database, subjects, (name) => (reads += name === 'keys.findKey' ? 1 : 0))
    reads = 0
  })
  afterAll(() => database.close())

  interface Wish extends Partial<KeySettings> {
    project?: string
    environment?: string
    mode?: 'live' | 'test'
    at?: number
  }

  async function make({ project = 'acme', environment = 'production', mode = 'live', at = 1, ...some }: Wish = {}) {
    const key = createApiKey(mode)
    const settings = { ...noSettings, ...some }
    const named = { hash: hashApiKey(key), display: displayApiKey(key) }
    const { id } = await store.keys.createKey({ ...named, project, environment, mode, settings, actor, at })
    return { key, id }
  }
  const cache = () => new KeyCache({ store, defaultRate })
  const failure = async (work: Promise<unknown>) =>
    work.then(
      () => 'nothing failed',
      (error: { code: string; message: string }) => `${error.code} ${error.message}`,
    )

  test('a key without limits', async () => {
    const { key, id } = await make()
    const caller = await cache().find(key)
    expect(caller).toEqual({
      keyId: id,
      environmentId: expect.any(Number),
      project: 'acme',
      environment: 'production',
      mode: 'live',
      label: null,
      rate: defaultRate,
      hasDailyCeiling: false,
      buysNothing: false,
      endpoints: null,
      parts: null,
      networks: null,
      expiresAt: Infinity,
      revokedAt: Infinity,
      suspended: false,
      billingBlocked: false,
      route: null,
    })
    expect(await cache().findById(id)).toEqual(caller)
  })

  test('a key with every limit', async () => {
    const settings = {
      label: 'a label',
      ceiling: 5,
      daily_ceiling: 4,
      rate_limit: 3,
      rate_window_ms: 2_000,
      endpoints: '["people"]',
      parts: '["contact"]',
      networks: '["10.0.0.0/8"]',
      expires_at: 900,
    }
    const { key, id } = await make({ ...settings, mode: 'test', project: 'shut', environment: 'staging' })
    const about = { reason: null, actor, at: 2 }
    await store.projects.setProjectState({ name: 'shut', suspended: true, billingBlocked: true, ...about })
    await store.projects.setRoute({ project: 'shut', environment: 'staging', route: ['mirror'], ...about })
    await store.keys.revokeKey({ id, actor, reason: null, at: 800 })
    const { networks, ...caller } = await cache().find(key)

    expect(caller).toMatchObject({
      keyId: id,
      project: 'shut',
      environment: 'staging',
      mode: 'test',
      label: 'a label',
      rate: { limit: 3, windowMs: 2_000 },
      hasDailyCeiling: true,
      buysNothing: false,
      endpoints: new Set(['people']),
      parts: new Set(['contact']),
      expiresAt: 900,
      revokedAt: -Infinity,
      suspended: true,
      billingBlocked: true,
      route: ['mirror'],
    })
    expect(networks?.list).toEqual(['10.0.0.0/8'])
    expect(['10.1.2.3', '11.1.2.3'].map((address) => networks?.includes(address))).toEqual([true, false])
  })

  test('a rate applies only if both of its parts are set, and a ceiling of 0 allows no spending', async () => {
    const of = async (wish: Wish) => cache().find((await make(wish)).key)
    expect((await of({ rate_limit: 3 })).rate).toEqual(defaultRate)
    expect((await of({ rate_window_ms: 3 })).rate).toEqual(defaultRate)
    expect(await of({ ceiling: 0 })).toMatchObject({ buysNothing: true, hasDailyCeiling: false })
    expect(await of({ daily_ceiling: 0 })).toMatchObject({ buysNothing: true, hasDailyCeiling: true })
    expect(await of({ ceiling: 1, daily_ceiling: 1 })).toMatchObject({ buysNothing: false })
  })

  test('an unknown key is refused, and a malformed one without a store read', async () => {
    const keys = cache()
    reads = 0
    expect(await failure(keys.find('vt_live_x'))).toMatch(/^invalid_api_key /)
    expect(reads).toBe(0)
    expect(await failure(keys.find(createApiKey('live')))).toMatch(/^invalid_api_key /)
    expect(reads).toBe(1)
    expect(await keys.findById('key_none')).toBeNull()
  })

  test('keys are cached from their first call until the cache is cleared', async () => {
    const [one, other] = [await make(), await make()]
    const keys = cache()
    expect(keys.known(one.key)).toBeUndefined()
    const callers = [await keys.find(one.key), await keys.find(other.key)]
    expect([keys.known(one.key), keys.known(other.key)]).toEqual(callers)
    keys.forget()
    expect([keys.known(one.key), keys.known(other.key)]).toEqual([undefined, undefined])
  })

  test('a key that changes during its read is not cached in its old state', async () => {
    const { key } = await make()
    const keys = cache()
    const reading = keys.find(key)
    keys.forget()
    expect(await reading).toMatchObject({ project: 'acme' })
    expect(keys.known(key)).toBeUndefined()
  })

  test('no key is cached if changes by other processes cannot reach this one', async () => {
    const { key } = await make()
    const keys = cache()
    await keys.find(key)
    let mayCache = false
    keys.mayCache = () => mayCache
    expect([keys.caching, keys.known(key)]).toEqual([false, undefined])
    keys.forget()
    await keys.find(key)
    mayCache = true
    expect([keys.caching, keys.known(key)]).toEqual([true, undefined])
  })

  test("the payer of a key is found by the key's id, and an unknown id is not found", async () => {
    const { id } = await make({ project: 'payer', environment: 'eu' })
    const about = { reason: null, actor, at: 2 }
    await store.projects.setRoute({ project: 'payer', environment: 'eu', route: ['mirror'], ...about })
    const { environmentId } = (await cache().findById(id))!
    expect(await store.keys.payerOfKey({ id })).toEqual({
      keyId: id,
      environmentId,
      project: 'payer',
      environment: 'eu',
      mode: 'live',
      route: ['mirror'],
    })
    expect(await failure(store.keys.payerOfKey({ id: 'key_none' }))).toBe('not_found There is no key key_none.')
  })

  test('a batch runs under its own key', async () => {
    const [{ id }, other] = [await make({ project: 'rows' }), await make({ project: 'rows' })]
    const { environmentId } = (await cache().findById(id))!
    const nothing = {
      name: null,
      max_credits: null,
      idempotency_hash: null,
      digest: null,
      reason: null,
      resume_at: null,
    }
    const never = {
      failing_since: null,
      runner: null,
      claimed_at: null,
      started_at: null,
      ended_at: null,
      expires_at: null,
    }
    const batch = { account_id: environmentId, mode: 'live', kind: 'people', status: 'queued', options: '{}' } as const
    const rows = [id, other.id].map((key_id) => {
      return { ...nothing, ...never, ...batch, public_id: `b_${key_id}`, key_id, total: 0, created_at: 1 }
    })
    const [first] = await database.db.insertInto('batches').values(rows).returning('id').execute()
    expect((await store.keys.findKey({ batchId: first!.id }))?.id).toBe(id)
    expect(await store.keys.findKey({ batchId: 999 })).toBeNull()
  })

  test('what an operator sets up is paid by the named key, or by the newest live key that has not ended', async () => {
    const of = (wish: Wish) => make({ project: 'many', environment: 'main', ...wish })
    const old = await of({ at: 1 })
    const usual = await of({ at: 2 })
    const expiring = await of({ at: 3, expires_at: 100 })
    const revoked = await of({ at: 4 })
    await store.keys.revokeKey({ id: revoked.id, actor, reason: null, at: 100 })
    const test = await of({ at: 5, mode: 'test' })
    await of({ at: 6, environment: 'other' })
    await of({ at: 7, project: 'others' })
    const { environmentId } = (await cache().findById(old.id))!
    const paying = (keyId: string | null, at: number) =>
      store.keys.payingKey({ project: 'many', environment: 'main', keyId, at })

    expect(await paying(null, 100)).toEqual({ keyId: usual.id, environmentId })
    expect(await paying(null, 99)).toEqual({ keyId: expiring.id, environmentId })
    expect(await paying(old.id, 100)).toEqual({ keyId: old.id, environmentId })
    expect(await failure(paying(test.id, 100))).toBe(`not_found many/main has no live key ${test.id}.`)
    expect(await failure(store.keys.payingKey({ project: 'many', environment: 'none', keyId: null, at: 1 }))).toBe(
      'not_found many/none has no live key.',
    )
  })

  test('of live keys created at the same moment, the one with the lowest id pays', async () => {
    const made = [await make({ project: 'twins' }), await make({ project: 'twins' }), await make({ project: 'twins' })]
    const [first] = made.map(({ id }) => id).toSorted()
    const asked = { project: 'twins', environment: 'production', keyId: null, at: 5 }
    expect((await store.keys.payingKey(asked)).keyId).toBe(first)
  })
})
