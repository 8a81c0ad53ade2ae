import { utcMonth } from '../../src/foundation/clock.ts'
import { checkClock } from './laws/clock-laws.ts'
import { checkDeliveries } from './laws/delivery-laws.ts'
import { exercise } from './laws/exercises.ts'
import { Violation } from './laws/law.ts'
import { readLedger } from './laws/read-ledger.ts'
import { rowsOf } from './laws/rows-of.ts'
import { environments, passAll, providerAnswers, receiverTakes, type Scene } from './scene.ts'
import { endings } from './weights.ts'
import { endpointNames } from './world/receivers.ts'

/** A run that is not at rest after this number of rounds never will be. */
const roundsToRest = 2_000

/** Longer than the webhook sender's poll interval, and than the lease of a dead sender. */
const lookMs = 25_000
/** Longer than rows of a batch wait for each other, and shorter than a hold lasts. */
const momentMs = 2_000
/** A row saves its fetch, then pays or releases. Each of these steps waits for other rows. */
const stepsOfRow = 3
/** Longer than the interval of the job that grants months. */
const grantedWithinMs = 11_000
/** Longer than any backoff between two attempts. */
const longestPauseMs = 9 * 3_600_000

/** Completes everything in progress, then checks the laws of the final state. */
export class ComeToRest {
  readonly #scene: Scene

  /** Whether every receiver accepts everything from now on. */
  #allWell = false
  /** The outcomes that providers draw from. */
  #endings: readonly (typeof endings)[number][] = endings

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** Completes everything, and compares the ledger. */
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
    for (const node of this.#scene.nodes) await this.#scene.time.within(node, () => checkClock(node))
  }

  /** A hold stays until it expires if the store did not get its end, or on PostgreSQL if its process died. */
  async #outlastHolds(): Promise<void> {
    // A batch has ended when every row has a result. A row of a person who was erased meanwhile releases its hold some
    // steps later.
    for (let step = 0; this.#scene.batches.wereSubmitted && step < stepsOfRow; step++) {
      if (step > 0 && (await this.#holds()).length === 0) break
      await this.#scene.time.advance(momentMs)
      await this.#drain()
    }
    for (let round = 0; round < 3; round++) {
      const holds = await this.#holds()
      const mayStay = ({ id }: { id: string }) =>
        this.#scene.seedStore.databaseUrl !== null ||
        this.#scene.seedStore.isCompared === true ||
        this.#scene.nodes.length > 1 ||
        this.#scene.unheard.holds.has(id)
      if (holds.length === 0 || !holds.every(mayStay)) return
      await this.#scene.time.advance(200_000)
      await this.#drain()
    }
  }

  #holds(): Promise<{ id: string }[]> {
    return rowsOf<{ id: string }>(this.#scene.alive.database, 'select id from holds')
  }

  async #drain(): Promise<void> {
    exercise('every call ends', this.#scene.callers.waiting.length > 0)
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
      // Nodes poll for work and send heartbeats every second, so a node is at rest if nothing is left before that.
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

  /** Removes all obstacles to batches: each ends, and its results match its input. */
  async finish(): Promise<void> {
    await this.#finishMonths()
    if (this.#scene.terms.webhooks) await this.#finishDeliveries()
    if (this.#scene.batches.wereSubmitted) await this.#finishBatches()
  }

  /** Every month that has begun is granted once its job has run. */
  async #finishMonths(): Promise<void> {
    for (const { store } of this.#scene.nodes) store.arm(null)
    await this.#scene.time.advance(grantedWithinMs)
    await this.#drain()
    const month = utcMonth(this.#scene.time.clock.now() - grantedWithinMs)
    const [late] = await rowsOf<object>(
      this.#scene.alive.database,
      `select project, name, recurring_month from environments where recurring_credits is not null and recurring_month < '${month}'`,
    )
    if (late) throw new Violation('a month is granted when it begins', `${JSON.stringify(late)} lacks ${month}`)
  }

  /**
   * The healthy receiver has all events, independent of the others. The others have them too, once they are healthy for
   * long enough.
   */
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

  /** Advances time and sends everything that is due. Returns the newest event that the last poll could find. */
  async #deliver(ms: number): Promise<number> {
    await this.#sendAfter(ms)
    const [newest] = await rowsOf<{ id: number }>(
      this.#scene.alive.database,
      'select coalesce(max(id), 0) as id from events',
    )
    await this.#sendAfter(lookMs)
    return Number(newest?.id ?? 0)
  }

  /** Advances time, and again for moments while more is accepted: the sender spreads many deliveries over time. */
  async #sendAfter(ms: number): Promise<void> {
    const { accepted } = this.#scene.receivers
    await this.#scene.time.advance(ms)
    await this.#drain()
    for (let before = -1; accepted.length > before;) {
      before = accepted.length
      await this.#scene.time.advance(momentMs)
      await this.#drain()
    }
  }

  async #finishBatches(): Promise<void> {
    for (const { store } of this.#scene.nodes) store.arm(null)
    this.#endings = ['answer']
    this.#scene.change(this.#scene.operator.resumeAll(environments))
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
