import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { AccountModel, people, type Expected, type ModelKey, type Who } from './account-model.ts'

const sequences = process.env['VITAE_TEST_LONG'] ? 100 : 15
const timeout = 60_000 + sequences * 20_000

/** The real account of one sequence: a project of its own in a service that all sequences share. */
interface Real {
  service: TestService
  project: string
  keys: { id: string; key: string }[]
  /** The body of the first answer under each Idempotency-Key. */
  bodies: Map<string, string>
}

type Step = (model: AccountModel, real: Real) => Promise<void>
class Act implements fc.AsyncCommand<AccountModel, Real> {
  readonly #words: string
  readonly #step: Step
  constructor(words: string, step: Step) {
    this.#words = words
    this.#step = step
  }
  check = () => true
  toString = () => this.#words
  async run(model: AccountModel, real: Real) {
    await this.#step(model, real)
    const { balance, budget } = model
    const spent = budget !== null && {
      monthly_budget: budget,
      spent_this_month: model.spentIn(real.service.clock.now()),
    }
    const figures = { balance, held: 0, available: balance, ...spent }
    expect(await real.service.balance('production', real.project)).toEqual(figures)
  }
}

interface Pair {
  index: number
  known: ModelKey
  own: { id: string; key: string }
}

function pickKey(model: AccountModel, real: Real, pick: number): Pair {
  const index = pick % model.keys.length
  const [known, own] = [model.keys[index], real.keys[index]]
  if (!known || !own) throw new Error('the model and the service have different keys')
  return { index, known, own }
}

const isAlive = ({ revokedAt }: ModelKey, { clock }: TestService) => revokedAt === null || revokedAt > clock.now()

function seen({ status, headers, json, text }: TestAnswer): Expected {
  const number = (name: string) => (headers.get(name) === null ? null : Number(headers.get(name)))
  return {
    status,
    code: status === 200 ? null : typeof json['code'] === 'string' ? json['code'] : text,
    charged: number('x-credits-charged'),
    replayed: headers.get('idempotent-replayed') === 'true',
    remaining: number('x-credits-remaining'),
    ceilingRemaining: number('x-credits-ceiling-remaining'),
    ceilingReset: number('x-credits-ceiling-reset'),
  }
}

interface CallWish {
  pick: number
  who: Who
  bypass: boolean
  value: string | null
}

const callStep = (wish: CallWish) =>
  new Act(`call ${JSON.stringify(wish)}`, async (model, real) => {
    const { known, own } = pickKey(model, real, wish.pick)
    const keyed: Record<string, string> = wish.value === null ? {} : { 'Idempotency-Key': wish.value }
    const query = wish.bypass ? '&bypass_cache=true' : ''
    const answer = await real.service.person(wish.who, query, { ApiKey: own.key, ...keyed })

    expect(seen(answer)).toEqual(model.expect({ ...wish, key: known, now: real.service.clock.now() }))
    if (wish.value === null || answer.status !== 200) return
    const replayed = answer.headers.get('idempotent-replayed') === 'true'
    if (replayed) expect(answer.text).toBe(real.bodies.get(wish.value))
    real.bodies.set(wish.value, answer.text)
  })

const grantStep = (amount: number) =>
  new Act(`grant ${amount}`, async (model, { service, project }) => {
    await service.grant(amount, 'production', project)
    model.granted += amount
  })

const revokeStep = (pick: number) =>
  new Act(`revoke ${pick}`, async (model, real) => {
    const { known, own } = pickKey(model, real, pick)
    if (!isAlive(known, real.service)) return
    await real.service.admin('POST', `/keys/${own.id}/revoke`, {})
    known.revokedAt = real.service.clock.now()
  })

const rotateStep = (pick: number, overlap: '0s' | '2h') =>
  new Act(`rotate ${pick} ${overlap}`, async (model, real) => {
    const { known, own } = pickKey(model, real, pick)
    if (known.revokedAt !== null) return
    const successor = await real.service.admin<Real['keys'][number]>('POST', `/keys/${own.id}/rotate`, { overlap })
    known.revokedAt = real.service.clock.now() + (overlap === '2h' ? 7_200_000 : 0)
    real.keys.push(successor)
    model.keys.push({ ...known, revokedAt: null })
  })

const ceilingStep = (pick: number, which: 'ceiling' | 'dailyCeiling', limit: number | null) =>
  new Act(`${which} ${pick} ${limit}`, async (model, real) => {
    const { known, own } = pickKey(model, real, pick)
    if (!isAlive(known, real.service)) return
    const name = which === 'ceiling' ? 'ceiling' : 'daily_ceiling'
    await real.service.admin('PATCH', `/keys/${own.id}`, { [name]: limit })
    known[which] = limit
  })

const budgetStep = (monthly: number | null) =>
  new Act(`budget ${monthly}`, async (model, { service, project }) => {
    await service.admin('POST', '/credits/budgets', { project, environment: 'production', monthly })
    model.budget = monthly
  })

const nextDayStep = new Act('the next day begins', async (_model, { service }) => {
  service.clock.set(new Date(new Date(service.clock.now()).setUTCHours(24, 0, 0, 0)).toISOString())
})

const waitStep = (hours: number) =>
  new Act(`wait ${hours} hours`, async (_model, { service }) => service.clock.advance({ hours }))

const nextMonthStep = new Act('the next month begins', async (_model, { service }) => {
  const now = new Date(service.clock.now())
  service.clock.set(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString())
})

const restartStep = new Act('restart', async (_model, { service }) => service.restart())

const anyCall: fc.Arbitrary<CallWish> = fc.record({
  pick: fc.nat(4),
  who: fc.constantFrom(...(Object.keys(people) as Who[]), 'ada' as const, 'grace' as const),
  bypass: fc.boolean(),
  value: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 3 }),
})
const calls = anyCall.map(callStep)
const commands = fc.commands<AccountModel, Real, false>(
  [
    // Many calls for each change of the account, and few restarts, which take the longest.
    ...Array.from({ length: 8 }, () => calls),
    fc.integer({ min: 1, max: 5 }).map(grantStep),
    fc.nat(4).map(revokeStep),
    fc
      .tuple(fc.nat(4), fc.constantFrom('0s' as const, '2h' as const))
      .map(([pick, overlap]) => rotateStep(pick, overlap)),
    fc
      .tuple(fc.nat(4), fc.constantFrom('ceiling' as const, 'dailyCeiling' as const), fc.option(fc.nat(6)))
      .map(([pick, which, limit]) => ceilingStep(pick, which, limit)),
    fc.option(fc.nat(8)).map(budgetStep),
    fc.constant(nextDayStep),
    fc.constantFrom(1, 3, 71, 72).map(waitStep),
    fc.constant(nextMonthStep),
    fc.constant(restartStep),
  ],
  { maxCommands: 24, size: 'max' },
)

test(`callers see what a simple list of payments would show, in ${sequences} sequences`, { timeout }, async () => {
  const service = await openTestService({ people: { broken: [] } })
  const run = fc.asyncProperty(commands, (list) =>
    fc.asyncModelRun(async () => {
      const caller = await service.newCaller(3, { ceiling: 4 })
      const model = new AccountModel()
      model.granted = 3
      model.keys.push({ chain: 0, ceiling: 4, dailyCeiling: null, revokedAt: null })
      const keys = [{ id: caller.keyId, key: caller.key }]
      return { model, real: { service, project: caller.project, keys, bodies: new Map() } }
    }, list),
  )
  await fc.assert(run, { numRuns: sequences, endOnFailure: sequences < 50 })
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true, differences: [] })
})
