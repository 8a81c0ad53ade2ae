import { performance } from 'node:perf_hooks'

/** Detects overload of this process: then new calls are refused before any work is done for them. */
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
 * Measures how late the event loop runs its timers, and counts calls in flight. After a stall, timers run before
 * connections, so calls that piled up meanwhile are already judged by the new figure.
 */
export function watchLoad(limits: { maxLagMs: number; maxInFlight: number }): LoadGuard {
  let lastSample = performance.now()
  let lagMs = 0
  let inFlight = 0
  const timer = setInterval(() => {
    const now = performance.now()
    // A single late sample may be a garbage collection; a series of them is load.
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
