import { crc32 } from 'node:zlib'
import { BackgroundCallers } from './actors/background.ts'
import { Callers } from './actors/callers.ts'
import { Operator } from './actors/operator.ts'
import { ComeToRest } from './come-to-rest.ts'
import { BatchLaws } from './laws/batch-laws.ts'
import { canonicalState, type CanonicalState } from './laws/canonical-state.ts'
import { takeExercises, type Exercises } from './laws/exercises.ts'
import { Violation, type Law } from './laws/law.ts'
import { Limits } from './laws/limits.ts'
import { routed } from './laws/honesty.ts'
import { Oracle } from './laws/oracle.ts'
import { environments, type Scene } from './scene.ts'
import { Steps } from './steps.ts'
import type { SeedStore } from './world/sqlite-engine.ts'
import { drawFrom, Random } from './world/random.ts'
import { endpointNames, Receivers } from './world/receivers.ts'
import { SimulatedProvider } from './world/simulated-provider.ts'
import { SimulatedRedis } from './world/simulated-redis.ts'
import { startLife, type Life } from './world/simulated-service.ts'
import { slackOf, termsOf, type Terms } from './world/terms.ts'
import { Unheard } from './world/unheard.ts'
import type { VirtualTime } from './world/virtual-time.ts'
import { seedsUntil2250, weightsWithout, type Step } from './weights.ts'

export interface SeedResult {
  calls: number
  deaths: number
  /** The number of calls per outcome. */
  answers: Record<string, number>
  /** How often each law was checked. */
  exercises: Exercises
  /** Equal for runs with the same events. */
  digest: number
  /** The broken law and its step; null if every law held. */
  violation: { step: number; law: Law; what: string } | null
}

export interface SeedOptions {
  seed: number
  steps: number
  /** If given, only these steps run. Each step has its own random draws, so others can be left out. */
  only?: ReadonlySet<number> | undefined
  /** Steps that are not drawn. */
  without?: readonly string[] | undefined
  onStep?: ((line: string) => void) | undefined
  /** Receives the state of the store at the end. */
  atEnd?: ((state: CanonicalState) => void) | undefined
}

/** Plays one seed. */
export async function runSeed(time: VirtualTime, seedStore: SeedStore, options: SeedOptions): Promise<SeedResult> {
  takeExercises()
  drawFrom(options.seed)
  // The last day of a month. Seeds start three months apart, because request ids only increase.
  time.beginAt(Date.UTC(2026, 1 + 3 * (options.seed % seedsUntil2250), 0, 12))
  const run = new Run(time, seedStore, options)
  try {
    return await run.play()
  } finally {
    await run.end()
  }
}

class Run implements Scene {
  readonly time: VirtualTime
  readonly seedStore: SeedStore
  readonly #options: SeedOptions
  readonly provider: SimulatedProvider
  readonly receivers: Receivers
  readonly redis: SimulatedRedis
  readonly unheard = new Unheard()
  readonly terms: Terms
  readonly oracle: Oracle
  readonly #limits: Limits
  readonly operator: Operator
  readonly callers: Callers
  readonly background: BackgroundCallers
  readonly batches: BatchLaws
  /** An exception in operators' changes or calls that no one awaits. */
  #broken: Error | null = null
  /** The changes in progress, with their nodes. */
  readonly #changes = new Map<string, Life>()
  readonly nodes: Life[] = []
  /** The node of the current step. */
  #node: Life | null = null
  /** The current step. */
  #made = ''
  #deaths = 0
  #digest = 0
  /** The store's `moves` when the limits were last checked. */
  #looked = -1
  random: Random
  readonly #comeToRest = new ComeToRest(this)
  readonly #steps = new Steps(this, this.#comeToRest)

  constructor(time: VirtualTime, seedStore: SeedStore, options: SeedOptions) {
    this.time = time
    this.seedStore = seedStore
    this.#options = options
    this.random = new Random(options.seed)
    this.terms = termsOf(options.seed)
    const slackMs = slackOf(this.terms)
    this.#limits = new Limits(slackMs, Math.max(...this.terms.machineAheadMs) > slackMs)
    this.batches = new BatchLaws(Math.max(3, this.terms.prices.people), slackMs)
    this.provider = new SimulatedProvider(time, this.terms.cap)
    this.receivers = new Receivers(time)
    this.redis = new SimulatedRedis(time)
    this.oracle = new Oracle(this.provider, this.unheard, this.terms)
    const life = () => this.alive
    const watch = (work: Promise<unknown>) => this.#watch(work)
    const deps = { clock: time.clock, time, oracle: this.oracle, life, watch, say: (line: string) => this.#say(line) }
    const bookLeadMs = this.terms.skews.length === 1 ? 0 : 60_000
    this.operator = new Operator({ ...deps, bookLeadMs })
    const pickNode = () => this.pickNode(() => true)
    const isAlive = (one: Life) => this.nodes.includes(one)
    this.callers = new Callers({ ...deps, provider: this.provider, pickNode, isAlive })
    this.background = new BackgroundCallers({ ...deps, batches: this.batches })
  }

  async play(): Promise<SeedResult> {
    const { seed, steps, only } = this.#options
    let step = 0
    let violation: SeedResult['violation'] = null
    try {
      await this.#start(0)
      await this.#setUp()
      for (let node = 1; node < this.terms.skews.length; node++) await this.#start(node)
      for (; step < steps; step++) if (!only || only.has(step)) await this.#step(step)
      this.random = new Random(seed, steps)
      await this.#comeToRest.rest()
      await this.#comeToRest.finish()
      this.#options.atEnd?.(await canonicalState(this.alive.database))
    } catch (error) {
      violation = { step, ...violationIn(error) }
    }
    const { calls, answers } = this.oracle
    const exercises = takeExercises()
    return { calls: calls.length, deaths: this.#deaths, answers, exercises, digest: this.#digest, violation }
  }

  async end(): Promise<void> {
    for (const one of this.nodes) await one.die(null)
  }

  /** The node that runs the current code, or the node of this step. */
  get alive(): Life {
    const { owner } = this.time
    const life = this.nodes.find((one) => one === owner) ?? this.#node ?? this.nodes[0]
    if (!life) throw new Error('no process is started')
    return life
  }

  get changes(): readonly string[] {
    return [...this.#changes.keys()]
  }

  /** A random node that fits, or else one that is awake. With a single candidate nothing is drawn. */
  pickNode(fits: (one: Life) => boolean): Life {
    const awake = this.nodes.filter((one) => !one.isFrozen)
    const list = this.nodes.some(fits) ? this.nodes.filter(fits) : awake
    const [only] = list
    return list.length === 1 && only ? only : this.random.pick(list)
  }

  async #start(node: number): Promise<void> {
    this.nodes[node] = await startLife(this, node)
  }

  /** For each environment, a key limited only by credits and one with ceilings. In most seeds credits are scarce. */
  async #setUp(): Promise<void> {
    const random = this.random
    const { times } = this.terms
    await this.alive.store.atOnce(async () => {
      for (const environment of environments) {
        await this.operator.makeKey(environment, null, null)
        await this.operator.makeKey(environment, times * (2 + random.below(5)), times * (1 + random.below(3)))
        await this.operator.grant(environment, times * (1 + random.below(7)))
        if (random.chance(0.3)) await this.operator.setBudget(environment, times * (1 + random.below(5)))
        if (random.chance(0.5)) await this.operator.setRecurring(environment, 1 + random.below(2), random.chance(0.5))
      }
      if (random.chance(0.3)) await this.operator.setPrices(0)
      await this.operator.makeTestKey(random.pick(environments))
      for (const name of this.terms.webhooks ? endpointNames : [])
        await this.operator.makeWebhook(environments[0], name)
      const { route } = this.terms
      if (route) this.provider.routes.set(await this.operator.setRoute(routed, route), route)
    })
  }

  async #step(step: number): Promise<void> {
    this.random = new Random(this.#options.seed, step + 1)
    const what = this.random.weighted<Step>(weightsWithout(this.#options.without))
    this.#made = `${what} of step ${step}`
    this.#say(`${step} ${new Date(this.time.clock.now()).toISOString()} ${what}`)
    const { fits, work } = this.#steps.of(what)
    const node = this.pickNode(fits)
    this.#node = node
    await this.time.within(node, () => work(this.random))
    this.#node = null
    await this.settle()
  }

  /** Runs everything that needs only the event loop, then checks the limits. */
  async settle(): Promise<void> {
    await this.time.rest()
    for (const one of this.nodes) if (one.store.isStruck) await this.#dieStruck(one)
    if (this.#broken) throw this.#broken
    for (const { store } of this.nodes) if (store.broken) throw store.broken
    const { askedTwice, askedExcluded, overCap } = this.provider
    if (overCap !== null) throw new Violation('no call costs more than its cap', overCap)
    if (askedExcluded !== null)
      throw new Violation('only the providers of its route answer an environment', askedExcluded)
    const { sentTwoAtOnce } = this.receivers
    if (sentTwoAtOnce !== null) throw new Violation('an endpoint gets one event at a time', sentTwoAtOnce)
    if (askedTwice !== null) throw new Violation('concurrent misses cost one fetch', askedTwice)
    const moves = this.nodes.reduce((sum, { store }) => sum + store.moves, 0)
    if (moves === this.#looked) return
    this.#looked = moves
    await this.#limits.check(this.alive.database, this.time.clock.now())
    await this.batches.stay(this.alive.database)
  }

  /** A node dies and restarts on its data. The outcome of its running work is unknown. */
  async die(life: Life, statements: number | null): Promise<void> {
    this.#deaths += 1
    await life.die(statements)
    this.callers.cutOff(life.node)
    for (const [change, by] of this.#changes) if (by === life) this.#changes.delete(change)
    this.#looked = -1
    await this.#start(life.node)
    if (this.#node === life) this.#node = this.nodes[life.node] ?? null
  }

  /** The node died right after an unreported commit. Its leases expire before most later steps. */
  async #dieStruck(life: Life): Promise<void> {
    await this.die(life, null)
    if (this.random.chance(0.5)) await this.time.advance(600_000)
  }

  change(work: Promise<unknown>): void {
    const by = this.alive
    const change = this.#made
    this.#changes.set(change, by)
    this.#watch(work.finally(() => this.nodes.includes(by) && this.#changes.delete(change)))
  }

  #watch(work: Promise<unknown>): void {
    const by = this.alive
    work.catch((error: unknown) => {
      if (this.nodes.includes(by) && !isRefusal(error))
        this.#broken ??= error instanceof Error ? error : new Error(String(error))
    })
  }

  #say(line: string): void {
    this.#digest = crc32(line, this.#digest)
    this.#options.onStep?.(line)
  }
}

/** The operator gets the store's refusal and tries again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function violationIn(error: unknown): { law: Law; what: string } {
  if (error instanceof Violation) return { law: error.law, what: error.message }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { law: 'only injected failures occur', what }
}
