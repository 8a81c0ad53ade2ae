import { performance } from 'node:perf_hooks'

/** Says when this process has more to do than it can: then new calls are refused before any work is put into them. */
export interface LoadGuard {
  readonly overloaded: boolean
  readonly lagMs: number
  readonly inFlight: number
  /** Counts a call in; `leave` counts it out. */
  enter(): void
  leave(): void
  close(): void
}

const sampleMs = 50

/**
 * Watches how late the event loop comes to its timers and how many calls are in flight. After a loop was stuck its
 * timers come before its connections, so the calls that piled up meanwhile already meet the new figure.
 */
export function watchLoad(limits: { maxLagMs: number; maxInFlight: number }): LoadGuard {
  let lastSample = performance.now()
  let lagMs = 0
  let inFlight = 0
  const timer = setInterval(() => {
    const now = performance.now()
    // A single late sample is a hiccup, a garbage collection; a series of them is load.
    lagMs = lagMs * 0.7 + Math.max(0, now - lastSample - sampleMs) * 0.3
    lastSample = now
  }, sampleMs)
  timer.unref()
  return {
    get overloaded() {
      return inFlight > limits.maxInFlight || lagMs > limits.maxLagMs
    },
    get lagMs() {
      return lagMs
    },
    get inFlight() {
      return inFlight
    },
    enter: () => void inFlight++,
    leave: () => void inFlight--,
    close: () => clearInterval(timer),
  }
}
