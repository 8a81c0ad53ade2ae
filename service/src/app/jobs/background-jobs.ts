import { setTimeout } from 'node:timers/promises'
import type { Backups } from '../../lifecycle/backup/backups.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import { notifyOfMerges } from '../../lifecycle/merges/notify-of-merges.ts'
import type { ServiceStore } from '../store/service-store.ts'
import { bringBackWatches, resumePausedWatches, runDueWatches, type WatchDeps } from '../../watches/run-watches.ts'
import { grantRecurringJob } from './grant-recurring.ts'
import { certainTime } from './certain-time.ts'
import { eventJobs } from './event-jobs.ts'
import type { PriceBooks } from '../../credits/prices/price-books.ts'
import { closeMonthsJob } from './close-months.ts'
import { sumDaysJob } from './sum-days.ts'
import { retentionRun } from '../../lifecycle/retention/retention.ts'
import { retentionRules } from '../../config/retention-config.ts'

interface Job {
  name: string
  everyMs: number
  /** The signal comes when the service stops: work that could go on for long ends then. */
  run(stop?: AbortSignal): Promise<unknown>
}

interface Deps {
  config: Config
  store: ServiceStore
  clock: Clock
  /** Reads the database's time before a job that moves money; absent where there is only one clock. */
  readTime?: (() => Promise<void>) | undefined
  log: Log
  /** Forgets hot records in every serving process. */
  recordsChanged: () => Promise<void>
  service: WatchDeps & {
    backups: Pick<Backups, 'makeWhenDue' | 'verifyWhenDue'>
    prices: Pick<PriceBooks, 'variables'>
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Runs jobs beside the service, each by itself and never twice at once; a failure is logged and tried again next time. */
export function startJobs(jobs: readonly Job[], log: Log): { stop(): Promise<void> } {
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const timers = jobs.map((job) => {
    const once = async () => {
      try {
        await job.run(stopping.signal)
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
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** The jobs of a service: some always, some where they are configured. */
export function backgroundJobs(deps: Deps): Job[] {
  const { store, clock } = deps
  return [
    retentionJob(deps),
    ...backupJob(deps),
    ...rewriteJob(deps),
    { name: 'note mentions', everyMs: hourMs, run: (stop) => noteMentions(store, stop) },
    ...watchJobs(deps),
    ...eventJobs({ config: deps.config, store, clock, chain: deps.service.lookup.chain }),
    { name: 'release expired holds', everyMs: 5_000, run: () => releaseExpired(deps) },
    grantRecurringJob(deps),
    sumDaysJob(deps),
    closeMonthsJob({
      store,
      clock,
      prices: deps.service.prices,
      currency: deps.config.upstream.currency,
    }),
    { name: 'notify of merges', everyMs: 10 * minuteMs, run: () => notifyOfMerges(deps) },
    { name: 'prune webhook deliveries', everyMs: hourMs, run: () => pruneDeliveries(deps) },
    { name: 'make partitions ahead', everyMs: hourMs, run: () => store.makePartitions({ now: clock.now() }) },
    {
      name: 'prune idempotency records',
      everyMs: 10 * minuteMs,
      run: async () => store.pruneIdempotency({ before: await certainTime(deps) }),
    },
  ]
}

const testsKeptMs = 30 * 24 * hourMs

/** The log of deliveries goes with the events that it is about. */
async function pruneDeliveries({ store, clock }: Deps): Promise<void> {
  const testsBefore = (await certainTime({ store, clock })) - testsKeptMs
  while (!(await store.pruneDeliveries({ testsBefore })).done) continue
}

/** Removes what is too old, in short steps that let every call through. */
function retentionJob({ config, store, clock, log, recordsChanged }: Deps): Job {
  const rules = retentionRules(config)
  const run = async () => {
    const removed = await retentionRun(store, { now: await certainTime({ store, clock }), rules, actor: 'system' })
    if (Object.values(removed).every((count) => count === 0)) return
    await recordsChanged()
    log.info(removed, 'retention: what was too old has been removed')
  }
  return { name: 'retention', everyMs: hourMs, run }
}

/** Reads and packs out a few bodies at a time, with a pause between: a store of an earlier version takes an hour per million. */
const mentionsPerStep = { limit: 2_000, bodies: 20 }
const mentionsPauseMs = 40

/** Notes whom old and changed bodies may mention; until then an erasure reads them. */
async function noteMentions(store: ServiceStore, stop?: AbortSignal): Promise<void> {
  for (let after: number | null = 0; after !== null && !stop?.aborted;) {
    const step: { filled: number; next: number | null } = await store.fillMentions({ after, ...mentionsPerStep })
    after = step.next
    if (step.filled > 0) await setTimeout(mentionsPauseMs, null, { ref: false })
  }
}

/** Tables that an erasure could not rewrite, because somebody read them. */
function rewriteJob({ config, store, log }: Deps): Job[] {
  if (config.databaseUrl === null) return []
  const run = async () => {
    const { done, left } = await store.rewriteTablesLeft(null)
    if (done.length > 0) log.info({ tables: done }, 'erasure: tables that were left have been rewritten')
    if (left.length > 0)
      log.warn(
        { tables: left },
        'erasure: these tables still hold deleted rows, because a long transaction reads the store',
      )
  }
  return [{ name: 'rewrite tables after erasures', everyMs: 10_000, run }]
}

/** Looks at what is due every few seconds, of hours or days; whose key could not pay is tried again every minute. */
function watchJobs({ config, service }: Deps): Job[] {
  const { atOnce } = config.watches
  if (atOnce === 0) return []
  return [
    { name: 'look at due watches', everyMs: 5_000, run: (stop) => runDueWatches(service, atOnce, stop) },
    { name: 'resume watches', everyMs: minuteMs, run: () => resumePausedWatches(service) },
    // It reads through all watches, and only a clock that was wrong gives it something to do.
    { name: 'bring back watches', everyMs: 10 * minuteMs, run: () => bringBackWatches(service) },
  ]
}

/** One that ends later than twice as long as a hold lasts was written by a clock that was ahead. */
async function releaseExpired({ store, clock, readTime, service }: Deps): Promise<unknown> {
  await readTime?.()
  const { holdMs } = service.lookup.rules
  return store.releaseHolds({ at: clock.now(), all: false, longestMs: 2 * holdMs })
}

/** Looks every minute whether a backup is due, so that a restart neither skips one nor makes one too many; the same for its check. */
function backupJob({ config, service: { backups }, log }: Deps): Job[] {
  if (config.backup.dir === null || config.databaseUrl !== null) return []
  const run = async () => {
    const made = await backups.makeWhenDue()
    if (made) log.info({ path: made.path, size: made.size, ms: made.durationMs }, 'backup made and verified')
    const checked = await backups.verifyWhenDue()
    if (checked?.ok) log.info({ name: checked.name }, 'backup checked in full, as every month')
    else if (checked) log.error({ name: checked.name, fault: checked.fault }, 'a backup is NOT what was written')
  }
  return [{ name: 'backup', everyMs: Math.min(config.backup.everyMs, minuteMs), run }]
}
