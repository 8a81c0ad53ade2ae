import type { ComeToRest } from './come-to-rest.ts'
import { answerAll, environments, pass, providerAnswers, receiverTakes, type Scene } from './scene.ts'
import { StepsBetweenNodes } from './steps-between-nodes.ts'
import { drawMonthStrike, drawStrike, type Step } from './weights.ts'
import { rememberedMs } from './laws/oracle.ts'
import { slugs } from './world/people.ts'
import type { Random } from './world/random.ts'
import type { Life } from './world/simulated-service.ts'
import { slackOf } from './world/terms.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The steps that the scheduler can choose. */
export class Steps {
  readonly #scene: Scene
  readonly #comeToRest: ComeToRest
  readonly #betweenNodes: StepsBetweenNodes

  constructor(scene: Scene, comeToRest: ComeToRest) {
    this.#scene = scene
    this.#comeToRest = comeToRest
    this.#betweenNodes = new StepsBetweenNodes(scene)
  }

  /** The action of a step, and the nodes that it may apply to. */
  of(step: Step): { fits(node: Life): boolean; work(random: Random): unknown } {
    const fits = aboutNodes[step] ?? ((node: Life) => !node.isFrozen)
    return { fits, work: this.#all[step] }
  }

  readonly #all: Record<Step, (random: Random) => unknown> = {
    call: (random) => this.#scene.callers.call(random),
    burst: (random) => this.#scene.callers.burst(random),
    twice: (random) => this.#scene.callers.twice(random),
    retry: (random) => this.#scene.callers.retry(random),
    repeatLate: (random) => this.#repeatLate(random),
    reuse: (random) => this.#scene.callers.reuse(random),
    match: (random) => this.#scene.callers.match(random),
    sample: (random) => this.#scene.callers.sample(random),
    submit: (random) => this.#scene.change(this.#scene.background.submit(random)),
    strikeSubmit: (random) => this.#strikeSubmit(random),
    watch: (random) => this.#scene.change(this.#scene.background.watch(random)),
    strikeWatch: (random) => this.#strikeWatch(random),
    take: (random) => this.#scene.alive.store.take(1 + random.below(4)),
    hear: (random) => this.#scene.alive.store.hear(1 + random.below(4)),
    flow: (random) => this.#flow(random),
    refuse: () => this.#scene.alive.store.refuse(),
    lose: () => this.#scene.alive.store.lose({ done: false }),
    loseDone: () => this.#scene.alive.store.lose({ done: true }),
    answer: () => providerAnswers(this.#scene, 'answer'),
    deny: () => providerAnswers(this.#scene, 'deny'),
    fail: () => providerAnswers(this.#scene, 'fail'),
    receive: () => receiverTakes(this.#scene),
    wait: (random) => this.#scene.time.advance(random.pick([5, 60, 400, 3_000, 20_000, 600_000])),
    month: (random) => this.#endMonth(random),
    leap: (random) => this.#scene.time.advance(random.pick([dayMs / 3, dayMs, 8 * dayMs])),
    grant: (random) => this.#scene.change(this.#scene.operator.grant(random.pick(environments), 1 + random.below(3))),
    correct: (random) =>
      this.#scene.change(this.#scene.operator.grant(random.pick(environments), -1 - random.below(3))),
    budget: (random) =>
      this.#scene.change(
        this.#scene.operator.setBudget(random.pick(environments), random.pick([null, 1, 2, 4, 8, 16])),
      ),
    prices: (random) => this.#scene.change(this.#scene.operator.setPrices(random.pick([0, 0, 3_000, dayMs]))),
    recurring: (random) =>
      this.#scene.change(
        this.#scene.operator.setRecurring(random.pick(environments), random.pick([null, 1, 2]), random.chance(0.5)),
      ),
    revoke: (random) => this.#scene.change(this.#scene.operator.revoke(random.pick(this.#scene.oracle.keys))),
    rotate: (random) =>
      this.#scene.change(
        this.#scene.operator.rotate(
          random.pick([...this.#scene.oracle.keys, ...this.#scene.oracle.testKeys]),
          random.pick([0, 0, 60_000, hourMs]),
        ),
      ),
    suspend: (random) => this.#suspend(random),
    erase: (random) => this.#scene.change(this.#scene.operator.erase(this.#erasable(random))),
    eraseMoved: (random) => this.#eraseMoved(random),
    eraseMatched: (random) => this.#eraseMatched(random),
    vanish: (random) => this.#vanish(random),
    deleteUnit: (random) => this.#deleteUnit(random),
    move: (random) => this.#move(random),
    strike: (random) => this.#scene.alive.store.arm(drawStrike(random)),
    die: () => this.#scene.die(this.#scene.alive, null),
    dieInside: (random) => this.#scene.die(this.#scene.alive, random.below(25)),
    news: (random) => this.#scene.alive.redis?.deliver(1 + random.below(4)),
    cut: () => this.#cut(),
    freeze: (random) => this.#betweenNodes.freeze(random),
    outdate: (random) => this.#betweenNodes.outdate(random),
    takeOver: (random) => this.#betweenNodes.takeOver(random),
    wake: (random) => this.#scene.alive.wake(random.chance(0.7)),
    rest: () => this.#comeToRest.rest(),
  }

  /** Idempotency records expire, and a call that had one is repeated: it is a new call. */
  async #repeatLate(random: Random): Promise<void> {
    const { callers, time, terms } = this.#scene
    if (callers.answered.length === 0) return
    await time.advance(rememberedMs + 2 * slackOf(terms))
    callers.repeat(random)
  }

  /** The reply to the last part of a submission is lost, or its process dies. By then the batch exists. */
  async #strikeSubmit(random: Random): Promise<void> {
    const { alive, background } = this.#scene
    const what = random.pick(['answer is lost', 'answer is lost', 'dies after'] as const)
    alive.store.arm({ name: 'batches.finishBatch', after: 0, what, statements: 0 })
    this.#scene.change(background.submit(random))
    await answerAll(this.#scene)
  }

  /** The end of a paid refresh cannot be recorded, and the next attempt becomes due. */
  async #strikeWatch(random: Random): Promise<void> {
    const { background, nodes, time } = this.#scene
    this.#scene.change(background.watch(random))
    await answerAll(this.#scene)
    const what = random.pick(['is refused', 'is refused', 'answer is lost', 'dies before', 'dies after'] as const)
    for (const { store } of nodes) store.arm({ name: 'watches.finishWatch', after: 0, what, statements: 0 })
    for (const ms of [6_000, hourMs, 6_000]) {
      await time.advance(ms)
      await answerAll(this.#scene)
    }
  }

  /** A project is suspended or resumed while a call waits for the providers, who answer later. */
  async #suspend(random: Random): Promise<void> {
    const { callers, operator, time, terms } = this.#scene
    callers.fetchFresh(random, random.pick(slugs))
    await pass(this.#scene, 4)
    this.#scene.change(operator.suspend(random.pick(environments), random))
    await pass(this.#scene, 4)
    await time.advance(slackOf(terms) + 1)
  }

  /** Providers forget a person whom they have returned before, and a caller asks again; or all are back. */
  #vanish(random: Random): void {
    const { gone, told } = this.#scene.provider
    if (gone.size > 0 && random.chance(0.5)) return gone.clear()
    const known = slugs.filter((slug) => told.some((one) => one.slug === slug))
    if (known.length === 0) return
    const slug = random.pick(known)
    gone.add(slug)
    this.#scene.callers.fetchFresh(random, this.#scene.provider.names.calledOf(slug))
  }

  /**
   * The first provider answers several times, and its last answer may say that there is no summary. Then it fails or denies the
   * person, and the second provider answers, which does not supply summaries. A caller reads the stored record.
   */
  async #deleteUnit(random: Random): Promise<void> {
    const { alive, provider, callers, time, terms } = this.#scene
    const name = provider.names.calledOf(random.pick(slugs))
    const refresh = async () => {
      callers.fetchFresh(random, name)
      await answerAll(this.#scene)
      await time.advance(slackOf(terms) + 1)
    }
    for (let count = 0; count < 3; count++) await refresh()
    provider.withoutAnswer.set('mirror', random.pick(['invalid', 'denies']))
    await refresh()
    provider.withoutAnswer.delete('mirror')
    callers.callTo(random, alive, { slug: name })
    await answerAll(this.#scene)
  }

  /** A name moves, mostly one that has moved before, and a caller checks who has it. */
  #move(random: Random): void {
    const { names } = this.#scene.provider
    const slug = random.pick(names.moved.length > 0 && random.chance(0.7) ? names.moved : slugs)
    names.move(slug)
    // Moves the name twice before anybody asks: the stored record then has a name that belongs to another person.
    if (random.chance(0.4)) names.move(slug)
    if (random.chance(0.3)) this.#scene.callers.fetchFresh(random, slug, 'address')
    else this.#scene.callers.fetchFresh(random, random.pick(names.around(slug)))
  }

  /**
   * A person's name goes to another one, callers see both, and the name is erased. Both are erased then, and one is
   * requested by another name.
   */
  async #eraseMoved(random: Random): Promise<void> {
    const { provider, callers, operator } = this.#scene
    const slug = random.pick(slugs)
    if (provider.names.moved.includes(slug)) return
    callers.fetchFresh(random, slug)
    await answerAll(this.#scene)
    provider.names.move(slug)
    provider.names.move(slug)
    callers.fetchFresh(random, slug)
    await answerAll(this.#scene)
    this.#scene.change(operator.erase(slug))
    await answerAll(this.#scene)
    callers.fetchFresh(random, provider.names.calledOf(slug))
  }

  /**
   * A person is found by an address and erased. No one that a provider returns for the address afterwards may be
   * served.
   */
  async #eraseMatched(random: Random): Promise<void> {
    const { provider, callers, operator } = this.#scene
    const slug = random.pick(slugs)
    for (let count = 0; count < 2; count++) {
      callers.fetchFresh(random, slug, 'address')
      await answerAll(this.#scene)
    }
    this.#scene.change(operator.erase(provider.names.calledOf(slug)))
    await answerAll(this.#scene)
    for (let count = 0; count < 3; count++) {
      callers.fetchFresh(random, slug, 'address')
      await answerAll(this.#scene)
    }
  }

  /** A person with many known facts: by addresses, or by a moved name. */
  #erasable(random: Random): string {
    const { moved } = this.#scene.provider.names
    return random.pick(moved.length > 0 && random.chance(0.6) ? moved : this.#scene.oracle.matched(slugs))
  }

  /** Several messages with their replies and news between nodes, so that calls reach the provider. */
  async #flow(random: Random): Promise<void> {
    for (let turns = 1 + random.below(6); turns > 0; turns--) {
      const { alive } = this.#scene
      await alive.store.take(1 + random.below(8))
      await this.#scene.settle()
      alive.store.hear(1 + random.below(8))
      await this.#scene.settle()
      for (const { redis } of this.#scene.nodes) redis?.deliver(redis.waiting)
    }
  }

  /** A node loses Redis, or gets it back. */
  #cut(): void {
    const { redis, isFrozen } = this.#scene.alive
    if (!redis || isFrozen) return
    if (redis.isCut) redis.heal()
    else redis.cut()
  }

  /** The next month comes nearer or begins. Then the recurring grant is struck. */
  async #endMonth(random: Random): Promise<void> {
    const now = new Date(this.#scene.time.clock.now())
    const left = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()
    await this.#scene.time.advance(Math.min(left, 8 * dayMs))
    if (left > 8 * dayMs) return
    // A job from the old month ends first, so that the next one grants the new month.
    await pass(this.#scene, 3)
    this.#scene.alive.store.arm(drawMonthStrike(random))
    await this.#scene.time.advance(11_000)
  }
}

/** The nodes that a step applies to, if not simply all awake nodes. */
const aboutNodes: Partial<Record<Step, (node: Life) => boolean>> = {
  take: ({ store }) => store.waiting > 0,
  hear: ({ store, isFrozen }) => store.unheard > 0 && !isFrozen,
  refuse: ({ store }) => store.waiting > 0,
  lose: ({ store }) => store.waiting > 0,
  loseDone: ({ store }) => store.waiting > 0,
  flow: ({ store, isFrozen }) => store.waiting + store.unheard > 0 && !isFrozen,
  news: ({ redis }) => (redis?.waiting ?? 0) > 0,
  wake: ({ isFrozen }) => isFrozen,
  die: () => true,
  dieInside: () => true,
}
