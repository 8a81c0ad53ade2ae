/** Where time and chance come from. */
export type Timing = {
  /** Milliseconds that only grow. */
  now: () => number
  /** From 0 to below 1. */
  random: () => number
  /** Resolves after the time, or rejects with the signal's reason as soon as it is aborted. */
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
