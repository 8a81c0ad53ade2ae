import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** The share of the event loop that background work may use, however busy callers keep it. */
const share = 1 / 5
/** The share of its idle time. A higher one multiplied the p99 of callers beside batches. */
const shareOfIdle = 4 / 11
/** A step that announces no cost counts this many times its CPU time, because it also makes work for the store. */
const costOfTime = 4
/** Unused time is saved up to this much, so that the first steps after a pause delay no caller for long. */
const savedAtMostMs = 16

/** The work that takes turns: of an environment, or of a project's webhooks. */
export type Lane = number | string

interface Step {
  costMs(): number
  begin(): void
}

interface Time {
  now(): number
  /** Total idle time of the event loop since its start. */
  idle(): number
  /** CPU time of this thread, which does not grow while other processes have the core. */
  cpu(): number
  sleep(ms: number): Promise<unknown>
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const realTime: Time = {
  now: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  cpu: cpuMs,
  sleep,
}

/**
 * Runs background work beside callers, on any machine: rows of batches, uploads, deliveries of webhooks. All of them share
 * one budget of time, filled by the clock and faster while the event loop is idle. A step has a turn of the event loop
 * for itself. The lane that has used the least goes first, and the steps of a lane keep their order.
 */
export class Scheduler {
  readonly #time: Time
  readonly #lanes = new Map<Lane, { steps: Step[]; usedMs: number }>()
  #isServing = false
  /** The unused budget; negative after steps that cost more than it had. */
  #savedMs = 0
  #filledAt: { now: number; idle: number }
  /** The used time, before its step, of the lane that ran last. A lane that joins starts with it. */
  #usedMs = 0

  constructor(time: Time = realTime) {
    this.#time = time
    this.#filledAt = { now: time.now(), idle: time.idle() }
  }

  /**
   * Resolves when the next step of a lane may run. A step lasts until it waits for something. It costs four
   * times its CPU time, or `costMs` if most of its work comes later. `costMs` is called after the step.
   */
  turn(lane: Lane, costMs = () => 0): Promise<void> {
    return new Promise((begin) => {
      const known = this.#lanes.get(lane) ?? { steps: [], usedMs: 0 }
      if (known.steps.length === 0) known.usedMs = Math.max(known.usedMs, this.#usedMs)
      known.steps.push({ costMs, begin })
      this.#lanes.set(lane, known)
      if (!this.#isServing) void this.#serve()
    })
  }

  async #serve(): Promise<void> {
    this.#isServing = true
    while (this.#next()) {
      await this.#afford()
      const lane = this.#next()
      const step = lane?.steps.shift()
      if (!lane || !step) break
      this.#usedMs = lane.usedMs
      const tookMs = await this.#run(step)
      const costMs = Math.max(step.costMs(), tookMs * costOfTime)
      this.#savedMs -= costMs
      lane.usedMs += costMs
    }
    this.#lanes.clear()
    this.#usedMs = 0
    this.#isServing = false
  }

  /** The lane that has used the least, of those that wait. */
  #next() {
    let least: { steps: Step[]; usedMs: number } | undefined
    for (const lane of this.#lanes.values())
      if (lane.steps.length > 0 && (!least || lane.usedMs < least.usedMs)) least = lane
    return least
  }

  async #afford(): Promise<void> {
    for (this.#fill(); this.#savedMs < 0; this.#fill()) await this.#time.sleep(Math.ceil(-this.#savedMs / shareOfIdle))
  }

  #fill(): void {
    const { now, idle } = this.#filledAt
    this.#filledAt = { now: this.#time.now(), idle: this.#time.idle() }
    const [passedMs, idleMs] = [this.#filledAt.now - now, this.#filledAt.idle - idle]
    this.#savedMs = Math.min(savedAtMostMs, this.#savedMs + Math.max(passedMs * share, idleMs * shareOfIdle))
  }

  /** Runs a step between two callbacks: everything that it makes due completes before the second. Resolves to its time. */
  #run(step: Step): Promise<number> {
    return new Promise((resolve) => {
      let beganAt = 0
      setImmediate(() => {
        beganAt = this.#time.cpu()
        step.begin()
      })
      setImmediate(() => resolve(this.#time.cpu() - beganAt))
    })
  }
}
