import { crc32 } from 'node:zlib'
import { BackgroundCallers } from './actors/background.ts'
import { Callers } from './actors/callers.ts'
import { Operator } from './actors/operator.ts'
import { BatchLaws } from './laws/batch-laws.ts'
import { Violation, type Law } from './laws/law.ts'
import { Limits } from './laws/limits.ts'
import { routed } from './laws/honesty.ts'
import { Oracle } from './laws/oracle.ts'
import { readLedger } from './laws/read-ledger.ts'
import { rowsOf } from './laws/rows-of.ts'
import type { SeedStore } from './world/sqlite-engine.ts'
import { slugs } from './world/people.ts'
import { drawFrom, Random } from './world/random.ts'
import { SimulatedProvider } from './world/simulated-provider.ts'
import { startLife, type Life } from './world/simulated-service.ts'
import { termsOf, type Terms } from './world/terms.ts'
import { Unheard } from './world/unheard.ts'
import type { VirtualTime } from './world/virtual-time.ts'
import { drawMonthStrike, drawStrike, endings, weights, type Step } from './weights.ts'

export interface SeedResult {
  calls: number
  deaths: number
  /** How many calls ended how. */
  answers: Record<string, number>
  /** The same for runs in which the same happened. */
  digest: number
  /** What went wrong, and at which step; null where every law held. */
  violation: { step: number; law: Law; what: string } | null
}

export interface SeedOptions {
  seed: number
  steps: number
  /** Only these steps are made, where it is given: each draws for itself, so the others can be left out. */
  only?: ReadonlySet<number> | undefined
  onStep?: ((line: string) => void) | undefined
}

const accounts = ['north/production', 'north/staging', 'south/production'] as const
const dayMs = 86_400_000
/** What is not at rest after so many rounds never will be. */
const roundsToRest = 2_000

/** Plays one seed. */
export async function runSeed(time: VirtualTime, seedStore: SeedStore, options: SeedOptions): Promise<SeedResult> {
  drawFrom(options.seed)
  // The last day of a month; seeds stand apart, because request ids only ever grow.
  time.beginAt(Date.UTC(2026, 1 + 3 * (options.seed % 30_000), 0, 12))
  const run = new Run(time, seedStore, options)
  try {
    return await run.play()
  } finally {
    await run.end()
  }
}

class Run {
  readonly #time: VirtualTime
  readonly #seedStore: SeedStore
  readonly #options: SeedOptions
  readonly #provider: SimulatedProvider
  readonly #unheard = new Unheard()
  readonly #terms: Terms
  readonly #oracle: Oracle
  readonly #limits = new Limits()
  readonly #operator: Operator
  readonly #callers: Callers
  readonly #background: BackgroundCallers
  readonly #batches: BatchLaws
  /** Of operators' changes and calls: what was thrown where nobody waits. */
  #broken: Error | null = null
  /** What operators and submitters have begun in this life and not ended. */
  readonly #changes = new Set<string>()
  #life: Life | null = null
  /** The step that is made. */
  #made = ''
  #deaths = 0
  #digest = 0
  /** The store's moves when the limits were looked at. */
  #looked = -1
  #random: Random

  constructor(time: VirtualTime, seedStore: SeedStore, options: SeedOptions) {
    this.#time = time
    this.#seedStore = seedStore
    this.#options = options
    this.#random = new Random(options.seed)
    this.#terms = termsOf(options.seed)
    this.#batches = new BatchLaws(Math.max(3, this.#terms.prices.people))
    this.#provider = new SimulatedProvider(time.clock, this.#terms.cap)
    this.#oracle = new Oracle(this.#provider, this.#unheard, this.#terms)
    const life = () => this.#alive
    const watch = (work: Promise<unknown>) => this.#watch(work)
    const deps = { clock: time.clock, time, oracle: this.#oracle, life, watch, say: (line: string) => this.#say(line) }
    this.#operator = new Operator(deps)
    this.#callers = new Callers({ ...deps, provider: this.#provider })
    this.#background = new BackgroundCallers({ ...deps, batches: this.#batches })
  }

  async play(): Promise<SeedResult> {
    const { seed, steps, only } = this.#options
    let step = 0
    let violation: SeedResult['violation'] = null
    try {
      await this.#start()
      await this.#setUp()
      for (; step < steps; step++) if (!only || only.has(step)) await this.#step(step)
      this.#random = new Random(seed, steps)
      await this.#rest()
      await this.#finish()
    } catch (error) {
      violation = { step, ...violationIn(error) }
    }
    const { calls, answers } = this.#oracle
    return { calls: calls.length, deaths: this.#deaths, answers, digest: this.#digest, violation }
  }

  async end(): Promise<void> {
    await this.#life?.die(null)
  }

  get #alive(): Life {
    if (!this.#life) throw new Error('the process is not started')
    return this.#life
  }

  async #start(): Promise<void> {
    this.#life = await startLife(this.#seedStore, this.#time, this.#provider, this.#unheard, this.#terms)
  }

  /** Of each environment a key that nothing limits but money, and one with ceilings; in most seeds credits are few. */
  async #setUp(): Promise<void> {
    const random = this.#random
    const { times } = this.#terms
    await this.#alive.store.atOnce(async () => {
      for (const account of accounts) {
        await this.#operator.makeKey(account, null, null)
        await this.#operator.makeKey(account, times * (2 + random.below(5)), times * (1 + random.below(3)))
        await this.#operator.grant(account, times * (1 + random.below(7)))
        if (random.chance(0.3)) await this.#operator.setBudget(account, times * (1 + random.below(5)))
        if (random.chance(0.5)) await this.#operator.setRecurring(account, 1 + random.below(2), random.chance(0.5))
      }
      const { route } = this.#terms
      if (route) this.#provider.routes.set(await this.#operator.setRoute(routed, route), route)
    })
  }

  async #step(step: number): Promise<void> {
    this.#random = new Random(this.#options.seed, step + 1)
    const what = this.#random.weighted<Step>(weights)
    this.#made = `${what} of step ${step}`
    this.#say(`${step} ${new Date(this.#time.clock.now()).toISOString()} ${what}`)
    await this.#steps[what](this.#random)
    await this.#settle()
  }

  /** Everything that waits for nothing but the loop ends, and the limits are looked at. */
  async #settle(): Promise<void> {
    await this.#time.rest()
    if (this.#alive.store.isStruck) await this.#dieStruck()
    if (this.#broken) throw this.#broken
    const { askedTwice, askedExcluded, overCap } = this.#provider
    if (overCap !== null) throw new Violation('no call costs more than its cap', overCap)
    if (askedExcluded !== null)
      throw new Violation('an environment is answered by the providers of its route alone', askedExcluded)
    if (askedTwice !== null) throw new Violation('callers who miss at the same time cost one fetch', askedTwice)
    const { store, database } = this.#alive
    if (store.moves === this.#looked) return
    this.#looked = store.moves
    await this.#limits.check(database, this.#time.clock.now())
    await this.#batches.stay(database)
  }

  /** What each step does. */
  readonly #steps: Record<Step, (random: Random) => unknown> = {
    call: (random) => this.#callers.call(random),
    burst: (random) => this.#callers.burst(random),
    twice: (random) => this.#callers.twice(random),
    retry: (random) => this.#callers.retry(random),
    match: (random) => this.#callers.match(random),
    submit: (random) => this.#change(this.#background.submit(random)),
    watch: (random) => this.#change(this.#background.watch(random)),
    take: (random) => this.#alive.store.take(1 + random.below(4)),
    hear: (random) => this.#alive.store.hear(1 + random.below(4)),
    flow: (random) => this.#flow(random),
    refuse: () => this.#alive.store.refuse(),
    lose: () => this.#alive.store.lose({ done: false }),
    loseDone: () => this.#alive.store.lose({ done: true }),
    answer: () => this.#providerAnswers('answer'),
    deny: () => this.#providerAnswers('deny'),
    fail: () => this.#providerAnswers('fail'),
    wait: (random) => this.#time.advance(random.pick([5, 60, 400, 3_000, 20_000, 600_000])),
    month: (random) => this.#endMonth(random),
    leap: (random) => this.#time.advance(random.pick([dayMs / 3, dayMs, 8 * dayMs])),
    grant: (random) => this.#change(this.#operator.grant(random.pick(accounts), 1 + random.below(3))),
    correct: (random) => this.#change(this.#operator.grant(random.pick(accounts), -1 - random.below(3))),
    budget: (random) =>
      this.#change(this.#operator.setBudget(random.pick(accounts), random.pick([null, 1, 2, 4, 8, 16]))),
    prices: (random) => this.#change(this.#operator.setPrices(random.pick([0, 0, 3_000, dayMs]))),
    recurring: (random) =>
      this.#change(this.#operator.setRecurring(random.pick(accounts), random.pick([null, 1, 2]), random.chance(0.5))),
    revoke: (random) => this.#change(this.#operator.revoke(random.pick(this.#oracle.keys))),
    rotate: (random) => this.#change(this.#operator.rotate(random.pick(this.#oracle.keys))),
    suspend: (random) => this.#change(this.#operator.suspend(random.pick(accounts), random)),
    erase: (random) => this.#change(this.#operator.erase(random.pick(this.#oracle.matched(slugs)))),
    strike: (random) => this.#alive.store.arm(drawStrike(random)),
    die: () => this.#die(null),
    dieInside: (random) => this.#die(random.below(25)),
    rest: () => this.#rest(),
  }

  /** Several messages and their replies, one after the other: calls get as far as the provider. */
  async #flow(random: Random): Promise<void> {
    for (let turns = 1 + random.below(6); turns > 0; turns--) {
      await this.#alive.store.take(1 + random.below(8))
      await this.#settle()
      this.#alive.store.hear(1 + random.below(8))
      await this.#settle()
    }
  }

  /** The next month comes nearer, or begins; then what it brings is struck. */
  async #endMonth(random: Random): Promise<void> {
    const now = new Date(this.#time.clock.now())
    const left = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()
    await this.#time.advance(Math.min(left, 8 * dayMs))
    if (left > 8 * dayMs) return
    // A job that began in the old month ends first, so that the next one grants the new month.
    await this.#pass(3)
    this.#alive.store.arm(drawMonthStrike(random))
    await this.#time.advance(11_000)
  }

  /** Every message is taken and every reply arrives, several times. */
  async #pass(times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) {
      const { store } = this.#alive
      await store.take(store.waiting)
      store.hear(store.unheard)
      await this.#settle()
    }
  }

  #providerAnswers(step: 'answer' | 'deny' | 'fail'): void {
    const { waiting } = this.#provider
    if (waiting === 0) return
    const index = this.#random.below(waiting)
    if (step === 'answer') this.#provider.answer(index)
    else if (step === 'deny') this.#provider.deny(index)
    else this.#provider.fail(index, this.#random.pick(['unavailable', 'timeout', 'invalid']))
  }

  /** The process dies and is started again on what it left. Nobody knows how what was on its way ended. */
  async #die(statements: number | null): Promise<void> {
    this.#deaths += 1
    await this.#alive.die(statements)
    this.#callers.cutOff()
    this.#changes.clear()
    this.#looked = -1
    await this.#start()
  }

  /** It died right after a commit of which nobody heard. Leases of what it did end before most of what comes next. */
  async #dieStruck(): Promise<void> {
    await this.#die(null)
    if (this.#random.chance(0.5)) await this.#time.advance(600_000)
  }

  /** Lets everything end, and compares the ledger. */
  async #rest(): Promise<void> {
    await this.#drain()
    await this.#outlastHolds()
    const ledger = await readLedger(this.#alive.database)
    this.#oracle.atRest(ledger)
    this.#batches.atRest(ledger)
  }

  /** A hold whose end the store was not told, and on PostgreSQL one of a dead process, is free only when its time is over. */
  async #outlastHolds(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      const holds = await rowsOf<{ id: string }>(this.#alive.database, 'select id from holds')
      const mayStay = ({ id }: { id: string }) => this.#seedStore.databaseUrl !== null || this.#unheard.holds.has(id)
      if (holds.length === 0 || !holds.every(mayStay)) return
      await this.#time.advance(200_000)
      await this.#drain()
    }
  }

  async #drain(): Promise<void> {
    for (let round = 0; this.#underWay().length > 0 || (await this.#batchesUnderWay()).length > 0; round++) {
      if (round > roundsToRest) {
        const left = [...this.#underWay(), ...(await this.#batchesUnderWay())]
        throw new Violation('every call ends', `never ended: ${left.join(', ')}`)
      }
      const { store } = this.#alive
      await store.take(store.waiting)
      store.hear(store.unheard)
      while (this.#provider.waiting > 0) this.#providerAnswers(this.#random.pick(endings))
      await this.#settle()
      if (this.#alive.store.isIdle) await this.#time.advance(round > 20 ? 500 : 50)
    }
  }

  #underWay(): string[] {
    const { store, jobs } = this.#alive
    const calls = this.#callers.waiting.map(({ number }) => `call ${number}`)
    const asked = this.#provider.waiting > 0 ? [`${this.#provider.waiting} questions to providers`] : []
    return [...calls, ...this.#changes, ...jobs(), ...store.underWay, ...asked]
  }

  async #batchesUnderWay(): Promise<string[]> {
    const text = `select public_id as id, status, runner, lease, lease_until from batches where status in ('queued', 'running')`
    const rows = await rowsOf<object>(this.#alive.database, text)
    return rows.map((row) => `batch ${JSON.stringify(row)}`)
  }

  /** Nothing stands in the way of batches any more: each ends, and its results are those of its input. */
  async #finish(): Promise<void> {
    if (!this.#batches.wereSubmitted) return
    await this.#alive.store.atOnce(() => this.#operator.letAllGoOn(accounts))
    for (let round = 0; round < 6 && (await this.#batches.areUnfinished(this.#alive.database)); round++) {
      await this.#time.advance(400_000)
      await this.#drain()
    }
    await this.#rest()
    this.#batches.atEnd(await readLedger(this.#alive.database))
    for (const batch of this.#batches.told) {
      const lines = await this.#alive.store.atOnce(() => this.#background.results(batch))
      this.#batches.inOrder(batch, lines, this.#provider.told)
    }
  }

  #change(work: Promise<unknown>): void {
    const alive = this.#life
    const change = this.#made
    this.#changes.add(change)
    this.#watch(work.finally(() => alive === this.#life && this.#changes.delete(change)))
  }

  #watch(work: Promise<unknown>): void {
    const alive = this.#life
    work.catch((error: unknown) => {
      if (alive === this.#life && !isRefusal(error))
        this.#broken ??= error instanceof Error ? error : new Error(String(error))
    })
  }

  #say(line: string): void {
    this.#digest = crc32(line, this.#digest)
    this.#options.onStep?.(line)
  }
}

/** What the store refused is told to the operator, who tries again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function violationIn(error: unknown): { law: Law; what: string } {
  if (error instanceof Violation) return { law: error.law, what: error.message }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { law: 'nothing fails that was not made to fail', what }
}
