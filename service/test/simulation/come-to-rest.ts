import { checkDeliveries } from './laws/delivery-laws.ts'
import { Violation } from './laws/law.ts'
import { readLedger } from './laws/read-ledger.ts'
import { rowsOf } from './laws/rows-of.ts'
import { environments, passAll, providerAnswers, receiverTakes, type Scene } from './scene.ts'
import { endings } from './weights.ts'
import { endpointNames } from './world/receivers.ts'

/** What is not at rest after so many rounds never will be. */
const roundsToRest = 2_000

/** Longer than a sender waits before it looks, and than the lease of one that died lasts. */
const lookMs = 25_000
/** Longer than rows of a batch wait for each other, and shorter than a hold lasts. */
const momentMs = 2_000
/** What was fetched is written, and then paid for or not: each waits for other rows. */
const stepsOfRow = 3
/** Longer than any pause between two attempts. */
const longestPauseMs = 9 * 3_600_000

/** How everything that was begun ends, and the laws of what is left then. */
export class ComeToRest {
  readonly #scene: Scene

  /** Whether every receiver takes everything from now on. */
  #allWell = false
  /** How providers answer. */
  #endings: readonly (typeof endings)[number][] = endings

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** Lets everything end, and compares the ledger. */
  async rest(): Promise<void> {
    for (const one of this.#scene.nodes) {
      if (one.isFrozen) one.wake(this.#scene.random.chance(0.5))
      one.redis?.heal()
    }
    await this.#drain()
    await this.#outlastHolds()
    const ledger = await readLedger(this.#scene.alive.database)
    this.#scene.oracle.atRest(ledger)
    this.#scene.batches.atRest(ledger)
  }

  /** A hold whose end the store was not told, and on PostgreSQL one of a dead process, is free only when its time is over. */
  async #outlastHolds(): Promise<void> {
    // A batch is over when every row has a result. A row of somebody who was erased meanwhile gives its hold back some steps later.
    for (let step = 0; this.#scene.batches.wereSubmitted && step < stepsOfRow; step++) {
      if (step > 0 && (await this.#holds()).length === 0) break
      await this.#scene.time.advance(momentMs)
      await this.#drain()
    }
    for (let round = 0; round < 3; round++) {
      const holds = await this.#holds()
      const mayStay = ({ id }: { id: string }) =>
        this.#scene.seedStore.databaseUrl !== null || this.#scene.nodes.length > 1 || this.#scene.unheard.holds.has(id)
      if (holds.length === 0 || !holds.every(mayStay)) return
      await this.#scene.time.advance(200_000)
      await this.#drain()
    }
  }

  #holds(): Promise<{ id: string }[]> {
    return rowsOf<{ id: string }>(this.#scene.alive.database, 'select id from holds')
  }

  async #drain(): Promise<void> {
    for (let round = 0; (await this.#left()).length > 0; round++) {
      if (round > roundsToRest)
        throw new Violation('every call ends', `never ended: ${(await this.#left()).join(', ')}`)
      await passAll(this.#scene)
      while (this.#scene.provider.waiting > 0) providerAnswers(this.#scene, this.#scene.random.pick(this.#endings))
      while (this.#scene.receivers.waiting > 0)
        if (this.#allWell) this.#scene.receivers.take(0, 'accept')
        else receiverTakes(this.#scene)
      await this.#scene.settle()
      const isIdle = this.#scene.nodes.every(({ store }) => store.isIdle)
      // Nodes look for work and say that they live every second: at rest is who has nothing left before that.
      if (isIdle && (await this.#left()).length > 0) await this.#scene.time.advance(round > 20 ? 500 : 50)
    }
  }

  async #left(): Promise<string[]> {
    return [...this.#underWay(), ...(await this.#batchesUnderWay())]
  }

  #underWay(): string[] {
    const { nodes } = this.#scene
    const calls = this.#scene.callers.waiting.map(({ number }) => `call ${number}`)
    const asked = this.#scene.provider.waiting > 0 ? [`${this.#scene.provider.waiting} questions to providers`] : []
    const sent = this.#scene.receivers.underWay
    const deliveries = sent > 0 ? [`${sent} deliveries of events`] : []
    const inside = nodes.flatMap(({ store, jobs }) => [...jobs(), ...store.underWay])
    const told = nodes.some(({ redis }) => (redis?.waiting ?? 0) > 0) ? ['what nodes tell each other'] : []
    return [...calls, ...this.#scene.changes, ...inside, ...told, ...asked, ...deliveries]
  }

  async #batchesUnderWay(): Promise<string[]> {
    const text = `select public_id as id, status, runner, lease, lease_until from batches where status in ('queued', 'running')`
    const rows = await rowsOf<object>(this.#scene.alive.database, text)
    return rows.map((row) => `batch ${JSON.stringify(row)}`)
  }

  /** Nothing stands in the way of batches any more: each ends, and its results are those of its input. */
  async finish(): Promise<void> {
    if (this.#scene.terms.webhooks) await this.#finishDeliveries()
    if (this.#scene.batches.wereSubmitted) await this.#finishBatches()
  }

  /** The receiver that is well has all events, whatever the others do; they have them all too, once they are well for long enough. */
  async #finishDeliveries(): Promise<void> {
    const before = await this.#deliver(lookMs)
    await checkDeliveries(this.#scene.alive.database, this.#scene.receivers, { upTo: before, allWell: false })
    this.#allWell = true
    await this.#scene.alive.store.atOnce(async () => {
      for (const name of endpointNames) await this.#scene.operator.resumeWebhook(name)
    })
    await this.#deliver(longestPauseMs)
    const upTo = await this.#deliver(longestPauseMs)
    await checkDeliveries(this.#scene.alive.database, this.#scene.receivers, { upTo, allWell: true })
  }

  /** So much time passes, and then everything that is due is sent. Gives the newest event that the last look could find. */
  async #deliver(ms: number): Promise<number> {
    await this.#scene.time.advance(ms)
    await this.#drain()
    const [newest] = await rowsOf<{ id: number }>(
      this.#scene.alive.database,
      'select coalesce(max(id), 0) as id from events',
    )
    await this.#scene.time.advance(lookMs)
    await this.#drain()
    return Number(newest?.id ?? 0)
  }

  async #finishBatches(): Promise<void> {
    for (const { store } of this.#scene.nodes) store.arm(null)
    this.#endings = ['answer']
    this.#scene.change(this.#scene.operator.letAllGoOn(environments))
    await this.#drain()
    for (let round = 0; round < 6 && (await this.#scene.batches.areUnfinished(this.#scene.alive.database)); round++) {
      await this.#scene.time.advance(400_000)
      await this.#drain()
    }
    await this.rest()
    this.#scene.batches.atEnd(await readLedger(this.#scene.alive.database))
    for (const batch of this.#scene.batches.told) {
      const lines = await this.#scene.alive.store.atOnce(() => this.#scene.background.results(batch))
      this.#scene.batches.inOrder(batch, lines, this.#scene.provider)
    }
  }
}
