import { describe, expect, test } from 'vitest'
import { creditOperations } from '../../../src/credits/operations.ts'
import { settle } from '../../../src/credits/store/settle.ts'
import type { SettlementBatch } from '../../../src/credits/store/settlement-wire.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'
import { acme, addEnvironment, addKey, openLedger } from '../ledger.ts'
import { charge, hold, minute, noon } from '../requests.ts'

/** Locks an environment's row in a separate transaction while some work runs. */
async function whileLocked<Result>(
  { db }: OpenDatabase,
  environmentId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await tx.selectFrom('environments').select('id').where('id', '=', environmentId).forUpdate().execute()
    return work()
  })
}

const settleOn = (database: OpenDatabase, batch: SettlementBatch) =>
  database.share({ durability: 'synced' }, (connection) => settle(connection, batch))

/** A ledger with a second environment and its key. */
async function openTwoEnvironments(engine: (typeof engines)[number]) {
  const { database, environmentId: locked } = await openLedger(engine, 10)
  const free = await addEnvironment(database, { ...acme, environment: 'staging' }, 10)
  await addKey(database, free, { id: 'k2' })
  return { database, locked, free }
}

const onPostgres = engines.filter(({ name }) => name === 'postgres')

describe.each(onPostgres)('environments locked by others, on $name', (engine) => {
  test('a batch that does not wait settles the free environments and reports the busy ones', async () => {
    const { database, locked, free } = await openTwoEnvironments(engine)
    const requests = [charge('r1', { environmentId: locked }), charge('r2', { environmentId: free, keyId: 'k2' })]

    const outcomes = await whileLocked(database, locked, () => settleOn(database, { requests, wait: false }))

    expect(outcomes).toMatchObject([{ outcome: 'busy' }, { outcome: 'settled', charged: 1 }])
    expect(await creditOperations.creditBalance(database, { ...acme, at: noon })).toMatchObject({ balance: 10 })
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('a batch that waits gives up after 2 s, and nothing of it is done', async () => {
    const { database, locked } = await openTwoEnvironments(engine)
    const settling = () => settleOn(database, { requests: [charge('r1', { environmentId: locked })] }).catch(String)

    const error = await whileLocked(database, locked, settling)

    expect(error).toContain('an environment stayed locked')
    expect(await creditOperations.creditBalance(database, { ...acme, at: noon })).toMatchObject({
      balance: 10,
      held: 0,
    })
  })

  test('a missing environment is refused, and not treated as busy forever', async () => {
    const { database } = await openTwoEnvironments(engine)
    const requests = [charge('r1', { environmentId: 4_711 })]

    expect(await settleOn(database, { requests, wait: false })).toEqual([{ outcome: 'busy' }])
    expect(await settleOn(database, { requests })).toMatchObject([{ outcome: 'refused', code: 'revoked_api_key' }])
  })

  test('expired holds of a locked environment are left for the next time, and others are released', async () => {
    const { database, locked, free } = await openTwoEnvironments(engine)
    await settleOn(database, {
      requests: [hold('r1', { environmentId: locked }), hold('r2', { environmentId: free, keyId: 'k2' })],
    })
    const release = () => creditOperations.releaseHolds(database, { at: noon + 2 * minute, all: false })

    expect(await whileLocked(database, locked, release)).toEqual({ released: 1 })
    expect(await release()).toEqual({ released: 1 })
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true })
  })
})
