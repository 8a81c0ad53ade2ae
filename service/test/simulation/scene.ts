import type { BackgroundCallers } from './actors/background.ts'
import type { Callers } from './actors/callers.ts'
import type { Operator } from './actors/operator.ts'
import type { BatchLaws } from './laws/batch-laws.ts'
import type { Oracle } from './laws/oracle.ts'
import type { Random } from './world/random.ts'
import { receptions, type Receivers } from './world/receivers.ts'
import type { SimulatedProvider } from './world/simulated-provider.ts'
import type { Life } from './world/simulated-service.ts'
import type { SeedStore } from './world/sqlite-engine.ts'
import type { Terms } from './world/terms.ts'
import type { Unheard } from './world/unheard.ts'
import type { VirtualTime } from './world/virtual-time.ts'

/** The participants of a run, for its steps. */
export interface Scene {
  readonly time: VirtualTime
  readonly seedStore: SeedStore
  readonly provider: SimulatedProvider
  readonly receivers: Receivers
  readonly unheard: Unheard
  readonly terms: Terms
  readonly oracle: Oracle
  readonly operator: Operator
  readonly callers: Callers
  readonly background: BackgroundCallers
  readonly batches: BatchLaws
  /** Operators' changes and submissions in progress on living nodes. */
  readonly changes: readonly string[]
  /** The random draws of this step. */
  readonly random: Random
  /** All living nodes, including frozen ones. */
  readonly nodes: readonly Life[]
  /** The node of this step. */
  readonly alive: Life
  /** Runs everything that needs only the event loop, then checks the limits. */
  settle(): Promise<void>
  /** A node dies and restarts. */
  die(life: Life, statements: number | null): Promise<void>
  /** Runs work that no one awaits. */
  change(work: Promise<unknown>): void
}

export const environments = ['north/production', 'north/staging', 'south/production'] as const

/** The provider answers one of the waiting requests, or fails. */
export function providerAnswers({ provider, random }: Scene, step: 'answer' | 'deny' | 'fail'): void {
  const { waiting } = provider
  if (waiting === 0) return
  const index = random.below(waiting)
  if (step === 'answer') provider.answer(index)
  else if (step === 'deny') provider.deny(index)
  else provider.fail(index, random.pick(['unavailable', 'timeout', 'invalid']))
}

/** A receiver handles one of its waiting requests, successfully or not. */
export function receiverTakes({ receivers, random }: Scene): void {
  if (receivers.waiting > 0) receivers.take(random.below(receivers.waiting), random.pick(receptions))
}

/**
 * On every awake node, the store takes every message and delivers every reply. News between nodes arrives too, unless
 * it is slow.
 */
export async function passAll(scene: Scene, { news = true } = {}): Promise<void> {
  for (const { store, redis } of [...scene.nodes]) {
    await store.take(store.waiting)
    store.hear(store.unheard)
    if (news) redis?.deliver(redis.waiting)
    await scene.settle()
  }
}

/** Calls `passAll` several times. */
export async function pass(scene: Scene, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) await passAll(scene)
}

/** Everything in progress gets as far as possible without time passing, and providers answer. */
export async function answerAll(scene: Scene): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await pass(scene, 2)
    while (scene.provider.waiting > 0) scene.provider.answer(0)
    await scene.settle()
  }
}
