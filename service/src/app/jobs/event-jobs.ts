import type { EventStore } from '../../events/operations.ts'
import type { ProviderStore } from '../../providers/operations.ts'
import type { GrantStore } from '../../credits/operations.ts'
import type { Config } from '../../config/config.ts'
import { type Clock, dayMs } from '../../foundation/clock.ts'
import { newestBackupAt } from '../../lifecycle/store/backup-paths.ts'
import type { Chain } from '../../providers/chain/chain.ts'
import { certainTime } from './certain-time.ts'

interface Deps {
  config: Pick<Config, 'backup' | 'databaseUrl' | 'events' | 'upstream'>
  store: {
    providers: Pick<ProviderStore, 'noteProviders' | 'noteCosts' | 'newestFills' | 'noteFills'>
    events: Pick<EventStore, 'noteBackupOverdue' | 'pruneEvents'>
    grants: Pick<GrantStore, 'knownTime'>
  }
  clock: Clock
  chain: Pick<Chain, 'states'>
}

type DriftStore = {
  providers: Pick<ProviderStore, 'newestFills' | 'noteFills'>
  grants: Pick<GrantStore, 'knownTime'>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Jobs that write the events which no call causes (providers, costs, backups), and remove old events. */
export function eventJobs(deps: Deps) {
  const { config, store, clock } = deps
  const startedAt = clock.now()
  const prune = async () => {
    const now = await certainTime(deps)
    const { days, erasedDays } = config.events
    while (!(await store.events.pruneEvents({ before: now - days * dayMs, types: 'others' })).done);
    while (!(await store.events.pruneEvents({ before: now - erasedDays * dayMs, types: 'erasures' })).done);
  }
  return [
    { name: 'notify of providers', everyMs: 5_000, run: providerWatch(deps) },
    { name: 'notify of costs', everyMs: 5 * minuteMs, run: () => notifyOfCosts(deps) },
    { name: 'notify of drift', everyMs: 10 * minuteMs, run: () => notifyOfDrift(deps) },
    { name: 'notify of an overdue backup', everyMs: minuteMs, run: () => notifyOfBackup(deps, startedAt) },
    { name: 'remove old events', everyMs: 10 * minuteMs, run: prune },
  ]
}

/** Records which circuit breakers of this process have opened since the last run, and which providers answer. */
export function providerWatch({ store, clock, chain }: Pick<Deps, 'store' | 'clock' | 'chain'>): () => Promise<void> {
  let open = new Set<string>()
  return async () => {
    const states = chain.states()
    const isOpen = states.filter(({ breaker }) => breaker !== 'closed')
    const opened = isOpen
      .filter(({ provider }) => !open.has(provider))
      .map(({ provider, lastFault }) => ({ provider, reason: lastFault?.kind ?? null }))
    const answering = states.flatMap(({ provider, breaker, lastAnswerAt }) =>
      breaker === 'closed' && lastAnswerAt !== null ? [{ provider, at: lastAnswerAt }] : [],
    )
    await store.providers.noteProviders({ opened, answering, at: clock.now() })
    open = new Set(isOpen.map(({ provider }) => provider))
  }
}

async function notifyOfCosts({ config: { upstream }, store, clock }: Deps): Promise<void> {
  const costs = Object.entries(upstream.settings).map(([name, { cost }]) => [name, cost] as const)
  const prices = Object.fromEntries(costs.flatMap(([name, cost]) => (cost === null ? [] : [[name, cost]])))
  const at = clock.now()
  // Twice the time between two runs: none is missed, and what was notified is not notified again.
  await store.providers.noteCosts({ prices, currency: upstream.currency, since: at - 10 * minuteMs, at })
}

/** Enough for every rate, and few enough to count often; a whole day is counted when it is over. */
const fillsRead = 5_000

/** Judges what providers fill today, by the last certain moment: a clock that is ahead judges no day that has not come. */
export async function notifyOfDrift(deps: Pick<Deps, 'clock'> & { store: DriftStore }): Promise<void> {
  const at = await certainTime(deps)
  const day = at - (at % dayMs)
  const fills = await deps.store.providers.newestFills({ since: day, until: at + 1, rows: fillsRead })
  await deps.store.providers.noteFills({ day, at, fills })
}

/** By the same rule as `vitae doctor`. */
async function notifyOfBackup(
  { config: { backup, databaseUrl }, store, clock }: Deps,
  startedAt: number,
): Promise<void> {
  if (backup.dir === null || databaseUrl !== null) return
  const lastBackupAt = newestBackupAt(backup.dir)
  const at = clock.now()
  // The first backup is due when the service has run for one interval.
  const dueAt = (lastBackupAt ?? startedAt) + backup.everyMs
  if (at <= dueAt + backup.everyMs + hourMs) return
  await store.events.noteBackupOverdue({ lastBackupAt, dueAt, at })
}
