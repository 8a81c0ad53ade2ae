import type { Config } from './config.ts'
import type { Clock } from './foundation/clock.ts'
import type { Log } from './foundation/log.ts'
import type { HouseStore } from './http/needs.ts'

interface Job {
  name: string
  everyMs: number
  run(): Promise<unknown>
}

interface Needs {
  config: Config
  store: HouseStore
  clock: Clock
  log: Log
}

/** Runs jobs beside the service, each by itself and never twice at once; a failure is logged and tried again next time. */
export function startJobs(jobs: readonly Job[], log: Log): { stop(): Promise<void> } {
  const running = new Map<string, Promise<void>>()
  const timers = jobs.map((job) => {
    const once = async () => {
      try {
        await job.run()
      } catch (error) {
        log.warn({ err: error, job: job.name }, 'a background job failed and will be tried again')
      } finally {
        running.delete(job.name)
      }
    }
    const timer = setInterval(() => {
      if (!running.has(job.name)) running.set(job.name, once())
    }, job.everyMs)
    return timer.unref()
  })
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** What must be done now and then, whatever is configured. */
export function houseJobs({ config, store, clock }: Needs): Job[] {
  return [
    { name: 'release expired holds', everyMs: 5_000, run: () => store.releaseHolds({ at: clock.now(), all: false }) },
    {
      name: 'prune idempotency marks',
      everyMs: 10 * 60_000,
      run: () => store.pruneIdempotency({ before: clock.now() - config.credits.idempotencyMs }),
    },
  ]
}
