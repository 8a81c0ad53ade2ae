import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { creditOperations } from '../../src/credits/operations.ts'
import type { SettleRequest } from '../../src/credits/settlement-requests.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { overSqlite, engines, onPostgres, type TestDatabase } from '../harness/engines.ts'
import { LedgerModel } from './ledger-model.ts'
import { addEnvironment, addKey, settleAll } from './ledger.ts'
import { capture, charge, check, hold, minute, noon, release, value } from './requests.ts'

// Sequences differ each time. PostgreSQL gets fewer, because each step is a round trip.
const sequences = process.env['VITAE_TEST_LONG'] ? (onPostgres ? 1_000 : 5_000) : onPostgres ? 40 : 100
const day = 24 * 60 * minute

/** The real ledger of one sequence: a separate environment in a store that all sequences share. */
interface Real {
  database: TestDatabase
  environmentId: number
  name: { project: string; environment: string }
  prefix: string
  keys: string[]
  now: number
  lastId: number
  /** Calls with open holds, and the values that their next step must repeat. */
  running: { requestId: string; keyId: string; idempotency: SettleRequest['idempotency'] }[]
  lastBatch: SettleRequest[]
}

interface Ask {
  type: SettleRequest['type']
  pick: number
  amount: number
  value: { hash: string; fingerprint: string } | null
}

type Step = (model: LedgerModel, real: Real) => Promise<void>
class Act implements fc.AsyncCommand<LedgerModel, Real> {
  readonly #words: string
  readonly #step: Step
  constructor(words: string, step: Step) {
    this.#words = words
    this.#step = step
  }
  check = () => true
  toString = () => this.#words
  async run(model: LedgerModel, real: Real) {
    await this.#step(model, real)
    const { balance, held } = model
    const budget = model.budget !== null && {
      monthly_budget: model.budget,
      spent_this_month: model.spentIn(real.now),
    }
    expect(await creditOperations.creditBalance(real.database, { ...real.name, at: real.now })).toEqual({
      balance,
      held,
      available: balance - held,
      ...budget,
    })
  }
}

function requestOf(real: Real, { type, pick, amount, ...ask }: Ask): SettleRequest {
  const keyId = real.keys[pick % real.keys.length] ?? ''
  const idempotency = ask.value && { ...value(ask.value.hash, ask.value.fingerprint), expiresAt: real.now + 3 * day }
  const fresh = { keyId, environmentId: real.environmentId, at: real.now, idempotency }
  const requestId = `${real.prefix}-${(real.lastId += 1)}`
  if (type === 'charge') return charge(requestId, { ...fresh, price: amount })
  if (type === 'check') return check(requestId, { ...fresh, amount })
  if (type === 'hold') {
    real.running.push({ requestId, keyId, idempotency })
    return hold(requestId, { ...fresh, amount, expiresAt: real.now + minute })
  }
  const [own] = real.running.splice(pick % Math.max(1, real.running.length), 1)
  const known = { ...fresh, ...own }
  const id = own?.requestId ?? requestId
  return type === 'capture' ? capture(id, { ...known, price: amount }) : release(id, known)
}

const settleStep = (asks: Ask[]) =>
  new Act(`settle ${JSON.stringify(asks)}`, async (model, real) => {
    const requests = asks.map((ask) => requestOf(real, ask))
    real.lastBatch = requests
    const expected = requests.map((request) => model.expect(request))
    expect(await settleAll(real.database, requests)).toEqual(expected)
  })

/** The answer was lost after the commit: repeating the same batch must find the payment. */
const retryStep = new Act('retry the last payments', async (_model, real) => {
  const requests = real.lastBatch.filter(({ type }) => type === 'charge' || type === 'capture')
  const receipts = await receiptsOf(real, requests)
  const settled = requests.filter((_, index) => receipts[index]?.call)
  const decisions = await settleAll(real.database, settled, true)
  const paid = decisions.map((each) => (each.outcome === 'settled' ? each.charged : 0))
  expect(paid).toEqual(receipts.flatMap((each) => each?.call?.credits ?? []))
})

function receiptsOf({ database }: Real, requests: SettleRequest[]) {
  return Promise.all(requests.map(({ requestId }) => creditOperations.receipt(database, { requestId })))
}

const grantStep = (amount: number) =>
  new Act(`grant ${amount}`, async (model, real) => {
    await creditOperations.grantCredits(real.database, { ...real.name, amount, actor: 'owner', at: real.now })
    model.granted += amount
  })

const revokeStep = (pick: number) =>
  new Act(`revoke ${pick}`, async (model, real) => {
    const id = real.keys[pick % real.keys.length] ?? ''
    await real.database.db.updateTable('keys').set({ revoked_at: real.now }).where('id', '=', id).execute()
    const key = model.keys.get(id)
    if (key) key.revokedAt = real.now
  })

const rotateStep = (pick: number) =>
  new Act(`rotate ${pick}`, async (model, real) => {
    const old = model.keys.get(real.keys[pick % real.keys.length] ?? '')
    if (!old) throw new Error('no key to rotate')
    await openKey(model, real, old.chain, old)
    await sameDays(real, old.chain)
  })

/** A successor key counts its days like its chain. */
async function sameDays({ database: { db } }: Real, chain: string): Promise<void> {
  const { days_from } = await db
    .selectFrom('keys')
    .select('days_from')
    .where('id', '=', chain)
    .executeTakeFirstOrThrow()
  await db.updateTable('keys').set({ days_from }).where('spend_id', '=', chain).execute()
}

const ceilingStep = (pick: number, ceiling: number | null) =>
  new Act(`ceiling ${pick} ${ceiling}`, async (model, real) => {
    const id = real.keys[pick % real.keys.length] ?? ''
    await real.database.db.updateTable('keys').set({ ceiling }).where('id', '=', id).execute()
    const key = model.keys.get(id)
    if (key) key.ceiling = ceiling
  })

const dailyCeilingStep = (pick: number, dailyCeiling: number | null) =>
  new Act(`daily ceiling ${pick} ${dailyCeiling}`, async (model, real) => {
    const id = real.keys[pick % real.keys.length] ?? ''
    await creditOperations.countDays(real.database, { keyId: id, at: real.now })
    await real.database.db.updateTable('keys').set({ daily_ceiling: dailyCeiling }).where('id', '=', id).execute()
    const key = model.keys.get(id)
    if (!key) return
    key.dailyCeiling = dailyCeiling
    model.countDays(key.chain, real.now)
  })

const budgetStep = (monthly: number | null) =>
  new Act(`budget ${monthly}`, async (model, real) => {
    await creditOperations.setBudget(real.database, { ...real.name, monthly, actor: 'owner', at: real.now })
    model.budget = monthly
  })

const nextDayStep = new Act('the next day begins', async (_model, real) => {
  real.now = (Math.floor(real.now / day) + 1) * day
})

const nextMonthStep = new Act('the next month begins', async (_model, real) => {
  const now = new Date(real.now)
  real.now = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
})

const waitStep = (ms: number) =>
  new Act(`wait ${ms}`, async (_model, real) => {
    real.now += ms
  })

const expireStep = new Act('release what expired', async (model, real) => {
  await creditOperations.releaseHolds(real.database, { at: real.now, all: false })
  model.dropHolds((each) => each.expiresAt <= real.now)
})

/** The process dies and forgets its calls. The restart releases what was held. */
const crashStep = new Act('crash and restart', async (model, real) => {
  real.running = []
  real.lastBatch = []
  if (real.database.folder !== null) {
    await real.database.db.destroy()
    Object.assign(real.database, overSqlite(openSqlite(join(real.database.folder, 'vitae.db'))))
  }
  await creditOperations.releaseHolds(real.database, { at: real.now, all: true })
  model.dropHolds(() => true)
})

interface Ceilings {
  ceiling: number | null
  dailyCeiling: number | null
}

async function openKey(model: LedgerModel, real: Real, chain: string | null, limits: Ceilings): Promise<void> {
  const { ceiling, dailyCeiling } = limits
  const id = `${real.prefix}-key-${real.keys.length}`
  const spend = chain ?? id
  await addKey(real.database, real.environmentId, { id, ceiling, daily_ceiling: dailyCeiling, spend_id: spend })
  real.keys.push(id)
  model.keys.set(id, { chain: spend, ceiling, dailyCeiling, revokedAt: null })
}

const anyAsk: fc.Arbitrary<Ask> = fc.record({
  type: fc.constantFrom('charge', 'charge', 'hold', 'hold', 'capture', 'capture', 'release', 'check'),
  pick: fc.nat(5),
  amount: fc.constantFrom(1, 1, 1, 2, 0),
  value: fc.option(
    fc.record({ hash: fc.constantFrom('a', 'b', 'c'), fingerprint: fc.constantFrom('ada', 'ada', 'grace') }),
  ),
})
const steps = fc.array(anyAsk, { minLength: 1, maxLength: 6 }).map(settleStep)
const commands = fc.commands<LedgerModel, Real, false>(
  [
    steps,
    steps,
    steps,
    fc.integer({ min: 1, max: 6 }).map(grantStep),
    fc.constant(retryStep),
    fc.nat(5).map(revokeStep),
    fc.nat(5).map(rotateStep),
    fc.tuple(fc.nat(5), fc.option(fc.nat(8))).map(([pick, ceiling]) => ceilingStep(pick, ceiling)),
    fc.tuple(fc.nat(5), fc.option(fc.nat(6))).map(([pick, ceiling]) => dailyCeilingStep(pick, ceiling)),
    fc.option(fc.nat(9)).map(budgetStep),
    fc.constant(nextDayStep),
    fc.constant(nextMonthStep),
    fc.constantFrom(1_000, 2 * minute, day, 20 * day).map(waitStep),
    fc.constant(expireStep),
    fc.constant(crashStep),
  ],
  { maxCommands: 30, size: 'max' },
)

describe.each(engines)('the ledger on $name', (engine) => {
  test(
    `matches a simple list of events, in ${sequences} sequences`,
    { timeout: 180_000 + sequences * 1_000 },
    async () => {
      const database = await engine.open()
      let sequence = 0
      const run = fc.asyncProperty(commands, async (list) => {
        const prefix = `s${(sequence += 1)}`
        const name = { project: prefix, environment: 'production' }
        await fc.asyncModelRun(async () => {
          const model = new LedgerModel()
          model.granted = 5
          const environmentId = await addEnvironment(database, name, model.granted)
          const start = { keys: [], now: noon, lastId: 0, running: [], lastBatch: [] }
          const real: Real = { ...start, database, environmentId, name, prefix }
          await openKey(model, real, null, { ceiling: 6, dailyCeiling: null })
          return { model, real }
        }, list)
      })
      await fc.assert(run, { numRuns: sequences, endOnFailure: false })
      expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, differences: [] })
      await database.db.destroy()
      await database.close()
    },
  )
})
