import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Backups } from '../../lifecycle/backup/backups.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import { rewriteWhenDue } from '../../lifecycle/erasure/rewrites.ts'
import { notifyOfMerges } from '../../lifecycle/records/notify-of-merges.ts'
import type { ServiceStore } from '../store/service-store.ts'
import { bringBackWatches, resumePausedWatches, runDueWatches, type WatchDeps } from '../../watches/run-watches.ts'
import { Runner, timedWork, type TimedJob } from '../../work/runner.ts'
import { grantRecurringJob } from './grant-recurring.ts'
import { certainTime } from './certain-time.ts'
import { eventJobs } from './event-jobs.ts'
import type { PriceBooks } from '../../credits/prices/price-books.ts'
import { closeMonths } from '../../credits/statements/read-statement.ts'
import { sumDaysJob } from '../../lifecycle/retention/sum-days.ts'
import { retentionRun } from '../../lifecycle/retention/retention.ts'
import { retentionRules } from '../../config/retention-config.ts'

interface Deps {
  config: Config
  store: ServiceStore
  clock: Clock
  /** Reads the database's time before a job that moves credits; absent if there is only one clock. */
  readTime?: (() => Promise<void>) | undefined
  log: Log
  /** Clears hot records in every serving process. */
  recordsChanged: () => Promise<void>
  service: WatchDeps & {
    backups: Pick<Backups, 'makeWhenDue' | 'verifyWhenDue'>
    prices: Pick<PriceBooks, 'variables'>
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Starts the jobs, each independently of the others. */
export function startJobs(jobs: readonly TimedJob[], log: Log): { stop(): Promise<void> } {
  const runners = jobs.map((job) => new Runner(timedWork(job), log))
  for (const runner of runners) runner.start()
  return { stop: async () => void (await Promise.all(runners.map((runner) => runner.close()))) }
}

/** The jobs of a service: some always, some only if configured. */
export function backgroundJobs(deps: Deps): TimedJob[] {
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
    closeMonthsJob(deps),
    { name: 'notify of merges', everyMs: 10 * minuteMs, run: () => notifyOfMerges(deps) },
    { name: 'prune webhook deliveries', everyMs: hourMs, run: () => pruneDeliveries(deps) },
    { name: 'make partitions ahead', everyMs: hourMs, run: () => store.database.makePartitions({ now: clock.now() }) },
    {
      name: 'prune idempotency records',
      everyMs: 10 * minuteMs,
      run: async () => store.credits.pruneIdempotency({ before: await certainTime(deps) }),
    },
  ]
}

/** Closes months that are over by the last certain time: a clock that is ahead closes nothing. */
function closeMonthsJob({ store, clock, service: { prices }, config }: Deps): TimedJob {
  const deps = { store, clock, prices, currency: config.upstream.currency }
  const run = async (stop?: AbortSignal) => closeMonths(deps, await certainTime(deps), stop)
  return { name: 'close months', everyMs: 10 * minuteMs, run }
}

const testsKeptMs = 30 * 24 * hourMs

/** The delivery log is removed with its events. */
async function pruneDeliveries({ store, clock }: Deps): Promise<void> {
  const testsBefore = (await certainTime({ store, clock })) - testsKeptMs
  while (!(await store.webhooks.pruneDeliveries({ testsBefore })).done) continue
}

/** Removes expired data, in short steps that let every call through. */
function retentionJob({ config, store, clock, log, recordsChanged }: Deps): TimedJob {
  const rules = retentionRules(config)
  const run = async () => {
    const removed = await retentionRun(store, { now: await certainTime({ store, clock }), rules, actor: 'system' })
    if (Object.values(removed).every((count) => count === 0)) return
    await recordsChanged()
    log.info(removed, 'retention: removed expired data')
  }
  return { name: 'retention', everyMs: hourMs, run }
}

/**
 * Reads and decompresses a few bodies at a time, with pauses: a store of an earlier version takes an hour per million.
 */
const mentionsPerStep = { limit: 2_000, bodies: 20 }
const mentionsPauseMs = 40

/** Stores the name prints of old and changed bodies; until then an erasure reads the bodies. */
async function noteMentions(store: ServiceStore, stop?: AbortSignal): Promise<void> {
  for (let after: number | null = 0; after !== null && !stop?.aborted;) {
    const step: { filled: number; next: number | null } = await store.entities.fillMentions({
      after,
      ...mentionsPerStep,
    })
    after = step.next
    if (step.filled > 0) await setTimeout(mentionsPauseMs, null, { ref: false })
  }
}

/** Rewrites the tables from which erasures deleted rows, once a day and on one node. */
function rewriteJob({ config, store, clock, log }: Deps): TimedJob[] {
  if (config.databaseUrl === null) return []
  const holder = randomUUID()
  const run = async () => {
    const rewritten = await rewriteWhenDue(store, clock, { timeOfDayMs: config.rewriteAtMs, holder })
    if (!rewritten) return
    const { done, left } = rewritten
    if (done.length > 0) log.info({ tables: done }, 'erasure: rewrote the tables with deleted rows')
    if (left.length > 0)
      log.warn(
        { tables: left },
        'erasure: these tables still contain deleted rows, because a long transaction reads the store',
      )
  }
  return [{ name: 'rewrite tables after erasures', everyMs: 10_000, run }]
}

/** Checks for due watches every few seconds; watches whose key could not pay are retried every minute. */
function watchJobs({ config, service }: Deps): TimedJob[] {
  const { atOnce } = config.watches
  if (atOnce === 0) return []
  return [
    { name: 'refresh due watches', everyMs: 5_000, run: (stop) => runDueWatches(service, atOnce, stop) },
    { name: 'resume watches', everyMs: minuteMs, run: () => resumePausedWatches(service) },
    // It reads all watches, and has something to do only after a clock was wrong.
    { name: 'bring back watches', everyMs: 10 * minuteMs, run: () => bringBackWatches(service) },
  ]
}

/** A hold that ends later than twice its length was written by a clock that was ahead. */
async function releaseExpired({ store, clock, readTime, service }: Deps): Promise<unknown> {
  await readTime?.()
  const { holdMs } = service.lookup.rules
  return store.credits.releaseHolds({ at: clock.now(), all: false, longestMs: 2 * holdMs })
}

/** Checks every minute whether a backup or its verification is due, so that a restart neither skips nor repeats one. */
function backupJob({ config, service: { backups }, log }: Deps): TimedJob[] {
  if (config.backup.dir === null || config.databaseUrl !== null) return []
  const run = async () => {
    const made = await backups.makeWhenDue()
    if (made) log.info({ path: made.path, size: made.size, ms: made.durationMs }, 'backup made and verified')
    const checked = await backups.verifyWhenDue()
    if (checked?.ok) log.info({ name: checked.name }, 'monthly full check of a backup succeeded')
    else if (checked)
      log.error({ name: checked.name, fault: checked.fault }, 'the full check of a backup FAILED: make a new one')
  }
  return [{ name: 'backup', everyMs: Math.min(config.backup.everyMs, minuteMs), run }]
}
