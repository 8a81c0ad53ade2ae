import type { SimulatedKey } from './laws/call.ts'
import { answerAll, pass, passAll, type Scene } from './scene.ts'
import { slugs } from './world/people.ts'
import type { Random } from './world/random.ts'
import type { Life } from './world/simulated-service.ts'
import { slackOf } from './world/terms.ts'

/** A fact that one node has cached and another one changes. */
type Known =
  | { what: 'test key'; key: SimulatedKey }
  | { what: 'erased'; slug: string }
  /** A person, fetched again by another name. */
  | { what: 'fetched'; slug: string; called: string }

/** Longer than a silent node counts as alive. */
const takenForDeadMs = 7_000
/** Every node writes a heartbeat within this time. */
const beatMs = 1_100
/** Longer than a fetch claim lasts after its node died. */
const claimOverMs = 4_000

/** Steps that need several nodes. They do nothing with a single node, or if no other is awake. */
export class StepsBetweenNodes {
  readonly #scene: Scene

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /**
   * A node freezes. Usually another node changes something that it has cached, before or after the others consider it
   * dead. The node is asked for that exactly when it wakes, and again once the others wait for it.
   */
  async freeze(random: Random): Promise<void> {
    const { alive, time } = this.#scene
    const other = this.#otherThan(alive)
    if (!other) return
    if (random.chance(0.3)) return alive.freeze()
    const known = this.#draw(random)
    await this.#sendHeartbeats()
    this.#ask(random, alive, known)
    await pass(this.#scene, 4)
    if (!this.#scene.nodes.includes(alive)) return
    alive.freeze()
    if (random.chance(0.5)) await time.advance(takenForDeadMs)
    await this.#change(random, other, known, { news: true })
    if (!alive.isFrozen) return
    for (let count = 1 + random.below(2); count > 0; count--) this.#ask(random, alive, known)
    alive.wake(true)
    const news = random.chance(0.5)
    for (let turn = 0; turn < 4; turn++) {
      await time.advance(10)
      await passAll(this.#scene, { news })
    }
    this.#ask(random, alive, known)
  }

  /**
   * Another node changes something that a node has cached, and the node is asked for it again. News between nodes may
   * be slow.
   */
  async outdate(random: Random): Promise<void> {
    const { alive } = this.#scene
    const other = this.#otherThan(alive)
    if (!other) return
    const known = this.#draw(random)
    await this.#sendHeartbeats()
    this.#ask(random, alive, known)
    await answerAll(this.#scene)
    // The order of two texts that are closer in time cannot be determined.
    await this.#scene.time.advance(slackOf(this.#scene.terms) + 1)
    await this.#change(random, other, known, { news: random.chance(0.6) })
    this.#ask(random, alive, known)
    await passAll(this.#scene, { news: false })
  }

  /**
   * A node dies while it fetches a person for a caller who expects someone else, and a second node waits for the
   * result. Meanwhile the second node fetches the person for a caller without an expectation.
   */
  async takeOver(random: Random): Promise<void> {
    const { alive, callers, time } = this.#scene
    const other = this.#otherThan(alive)
    if (!other) return
    const slug = random.pick(slugs)
    for (const node of [other, alive]) {
      callers.callTo(random, node, { slug, by: 'stranger' })
      await pass(this.#scene, 4)
    }
    callers.callTo(random, alive, { slug, bypass: true })
    if (this.#scene.nodes.includes(other)) await this.#scene.die(other, null)
    await answerAll(this.#scene)
    await time.advance(claimOverMs)
    await answerAll(this.#scene)
  }

  /** After a jump of time no node relies on its cache until it has written its next heartbeat. */
  async #sendHeartbeats(): Promise<void> {
    await pass(this.#scene, 2)
    await this.#scene.time.advance(beatMs)
    await pass(this.#scene, 2)
  }

  #otherThan(node: Life): Life | undefined {
    return this.#scene.nodes.find((one) => one !== node && !one.isFrozen)
  }

  #draw(random: Random): Known {
    const { provider, oracle } = this.#scene
    const { names, told } = provider
    const key = oracle.testKeys.at(-1)
    const what = random.pick(['test key', 'erased', 'fetched'] as const)
    if (what === 'test key' && key) return { what, key }
    const slug = random.pick(told.length > 0 ? told.map(({ called }) => called) : slugs)
    if (what !== 'fetched') return { what: 'erased', slug }
    const person = random.pick(slugs)
    if (!names.moved.includes(person)) names.move(person)
    const asked = names.around(person).find((name) => names.calledOf(names.holderOf(name)) !== name) ?? person
    return { what, slug: asked, called: names.calledOf(names.holderOf(asked)) }
  }

  #ask(random: Random, node: Life, known: Known): void {
    const { callers } = this.#scene
    if (known.what === 'test key') callers.sampleTo(random, node, known.key)
    else callers.callTo(random, node, { slug: known.slug })
  }

  /** Makes a node change it, and waits for the result. A frozen node is waited for until it counts as dead. */
  async #change(random: Random, by: Life, known: Known, { news }: { news: boolean }): Promise<void> {
    const { time, operator, callers, provider } = this.#scene
    let hasEnded = false
    if (known.what === 'fetched') callers.callTo(random, by, { slug: known.called, bypass: true })
    else {
      const change = () => (known.what === 'erased' ? operator.erase(known.slug) : operator.rotate(known.key))
      time.within(by, () => this.#scene.change(change().finally(() => (hasEnded = true))))
    }
    for (let turn = 0; turn < 90 && !hasEnded; turn++) {
      for (let count = 0; count < 3; count++) await passAll(this.#scene, { news })
      if (known.what === 'fetched' && turn > 3) return
      while (provider.waiting > 0) provider.answer(0)
      await time.advance(turn < 20 ? 10 : 100)
    }
  }
}
