/** The source of time and randomness. */
export type Timing = {
  /** Monotonic milliseconds. */
  now: () => number
  /** From 0 to below 1. */
  random: () => number
  /** Resolves after the delay, or rejects with the signal's reason on abort. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      }, ms)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    }),
}
