import { describe, expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../../src/foundation/clock.ts'
import { storeOf } from '../credits/ledger.ts'
import { engines, type Engine } from '../harness/engines.ts'

const [of, id, leaseMs] = ['exports', 'exp_1', 60_000] as const
const facts = { actor: 'owner', role: 'owner' as const, project: null, list: 'listKeys', ask: '{}', filters: [] }

/** A store with one piece of work. */
async function openWork(engine: Engine) {
  const database = await engine.open()
  onTestFinished(() => database.close())
  const { db } = database
  const store = storeOf(database)
  const at = Date.now()
  await store.exports.beginExport({ id, ...facts, names_records: 0, at, expiresAt: at + dayMs })
  const claim = async (node: string) => (await store.exports.claimExport({ node, leaseMs }))?.lease ?? null
  const setEnd = (until: number) => db.updateTable('exports').set({ lease_until: until }).execute()
  const readEnd = async () =>
    (await db.selectFrom('exports').select('lease_until').executeTakeFirst())?.lease_until ?? 0
  const renew = (...numbers: number[]) =>
    store.leases.renewLeases({ of, leases: numbers.map((number) => ({ id, number })), leaseMs })
  return { store, claim, setEnd, readEnd, renew }
}

describe.each(engines)('a lease on $name', (engine) => {
  test('is claimed by one node at a time, and again when it is over', async () => {
    const { claim, setEnd } = await openWork(engine)

    const numbers = [await claim('first'), await claim('second')]
    await setEnd(Date.now() - 1_000)

    expect([...numbers, await claim('second')]).toEqual([1, null, 2])
  })

  test('that was written by a clock that was ahead keeps nobody from the work', async () => {
    const { claim, setEnd } = await openWork(engine)
    await claim('first')

    await setEnd(Date.now() + leaseMs + 10_000)
    const beforeItsEnd = await claim('second')
    await setEnd(Date.now() + dayMs)

    expect([beforeItsEnd, await claim('second')]).toEqual([null, 2])
  })

  test('is neither renewed nor ended by a node that another one has replaced', async () => {
    const { store, claim, setEnd, readEnd, renew } = await openWork(engine)
    await claim('first')
    await setEnd(Date.now() - 1_000)
    await claim('second')
    const soon = Date.now() + 10_000
    await setEnd(soon)

    const [renewed, ended] = [await renew(1), await store.leases.endLease({ of, id, number: 1 })]
    const after = await readEnd()

    expect([renewed, ended, after]).toEqual([[], false, soon])
    expect([await renew(2), (await readEnd()) > soon]).toEqual([[id], true])
  })

  test('of work that has ended is not renewed', async () => {
    const { store, claim, readEnd, renew } = await openWork(engine)
    await claim('first')
    await store.leases.endLease({ of, id, number: 1 })

    expect([await renew(1), await readEnd()]).toEqual([[], 0])
  })
})

const embedded = engines.filter(({ name }) => name === 'sqlite')
test.each(embedded)('the work of a dead process is free at the next start on $name', async (engine) => {
  const { store, claim } = await openWork(engine)
  await claim('dead')
  const claimed = await store.residue.takeRewrite({ holder: 'dead' })

  await store.leases.freeLeases(null)

  expect(claimed).toMatchObject({ number: 1 })
  expect([await claim('next'), await store.residue.takeRewrite({ holder: 'next' })]).toMatchObject([2, { number: 2 }])
})
