import { creditsText } from '../foundation/money.ts'
import { usualAlerts } from '../credits/decision/ledger-snapshot.ts'
import type { OperatorDeps } from './deps.ts'
import { type Attention, backgroundTrouble } from './background-trouble.ts'
import type { AdminAnswer, Provider } from '@vitae/contract/admin'
import { environmentSpikes, type Outcomes } from './spikes.ts'
import { driftAdvice, driftText } from '../providers/drift.ts'

interface Facts {
  /** The outcomes of the last 14 days, by environment. */
  usual: ReadonlyMap<string, Outcomes>
  project: string | null
  providers: readonly Provider[]
  environments: readonly {
    project: string
    environment: string
    available: number
    days_left: number | null
  }[]
}

/** Items of one group that are returned, and those that are counted. */
const [shownAtMost, countedAtMost] = [100, 1_000]
const lowDays = 7
const grant = 'Grant credits. If it is no longer used, revoke its keys.'

interface Inbox {
  attention: Attention[]
  attention_totals: AdminAnswer<'readOverview'>['attention_totals']
}

/** Lists everything that needs an operator now, the worst first, with a total per group. Only the current state counts. */
export async function needsAttention(deps: OperatorDeps, facts: Facts): Promise<Inbox> {
  const { project } = facts
  const at = deps.clock.now()
  const limits = await deps.store.usage.limitsReached({ project, at, limit: countedAtMost })
  const found = [
    ...facts.providers.filter((provider) => provider.in_chain).flatMap((provider) => providerTrouble(provider) ?? []),
    ...(await driftTroubles(deps, facts.providers)),
    ...limits.empty.map((named): Attention => ({ ...emptyTrouble, ...namedBy(named) })),
    ...lowTroubles(facts, limits.low),
    ...limits.budgets.map(budgetTrouble),
    ...(await keyTroubles(deps, project, at)),
    ...(await environmentSpikes(deps, { project, at, usual: facts.usual })),
    ...(await backgroundTrouble(deps, { project, at, limit: countedAtMost })),
    // The machine belongs to no project, so tokens of one project do not see it.
    ...(project === null ? [...machineTrouble(deps), ...(await waitingWork(deps))] : []),
  ]
  // Danger sorts before warning; the order of kinds stays.
  const worstFirst = found.toSorted((one, other) => (one.level < other.level ? -1 : one.level > other.level ? 1 : 0))
  const groups = [...Map.groupBy(worstFirst, ({ level, kind, state }) => `${level} ${kind} ${state ?? ''}`).values()]
  return {
    attention: groups.flatMap((items) => items.slice(0, shownAtMost)),
    attention_totals: groups.flatMap((items) => {
      const [first] = items
      if (!first) return []
      const { level, kind, state } = first
      return [{ level, kind, ...(state ? { state } : {}), total: items.length }]
    }),
  }
}

function providerTrouble(provider: Provider): Attention | null {
  const { budget, recent, last_fault: fault, last_answer_at: answeredAt } = provider
  const trouble = (level: Attention['level'], detail: string, advice: string): Attention => {
    return { level, kind: 'provider', id: provider.name, name: provider.label, detail, advice }
  }
  const raise = `Raise its budget (VITAE_${provider.name.toUpperCase()}_BUDGET), or wait for the next month.`
  if (provider.paused)
    return {
      ...trouble(
        'warning',
        'It is paused, so nothing new is fetched from it.',
        'Resume it when it may be asked again.',
      ),
      state: 'paused',
    }
  const confirm = 'Ask it once for a record that it has. Until then its "not found" is not remembered.'
  if (provider.confirmed === false && fault === null)
    return trouble('warning', 'It is not confirmed against the live API.', confirm)
  if (budget.limit !== null && budget.calls >= budget.limit)
    return trouble('danger', `Its ${budget.limit} calls of ${budget.month} are spent.`, raise)
  if (fault?.kind === 'rejected' && (answeredAt === null || answeredAt < fault.at))
    return trouble('danger', 'It rejects our key or account.', 'Check the contract and the key, then check it again.')
  if (provider.breaker === 'open')
    return trouble('danger', 'It failed too often, so it is not asked for now.', 'It is retried automatically.')
  if (recent.failing !== null)
    return trouble('danger', recent.failing, 'Check its answers. If another provider is configured, pause this one.')
  if (budget.limit !== null && budget.calls >= budget.limit * 0.9)
    return trouble('warning', `${budget.calls} of its ${budget.limit} calls of ${budget.month} are spent.`, raise)
  return null
}

/** Units that an active provider fills less than half as often as usual. */
async function driftTroubles({ store, clock }: OperatorDeps, providers: readonly Provider[]): Promise<Attention[]> {
  const drifted = await store.providers.driftedProviders({ now: clock.now() })
  return drifted.flatMap(({ provider, kind, drifted: units }): Attention[] => {
    const known = providers.find(({ name }) => name === provider)
    if (!known?.in_chain) return []
    const detail = `Its ${kind} lack fields that they usually have: ${driftText(units ?? [])}.`
    return [{ level: 'warning', kind: 'provider', id: provider, name: known.label, detail, advice: driftAdvice }]
  })
}

const emptyTrouble = {
  level: 'danger' as const,
  kind: 'environment' as const,
  detail: 'It has no credits left.',
  advice: grant,
}

/** Environments below their alert threshold, or with credits for only a few days; each once. */
function lowTroubles(
  { environments }: Facts,
  low: Awaited<ReturnType<OperatorDeps['store']['usage']['limitsReached']>>['low'],
): Attention[] {
  const below = low.map((one): Attention => {
    const detail = `${creditsText(one.balance)}, below the ${one.below} at which it is notified.`
    return { level: 'warning', kind: 'environment', ...namedBy(one), detail, advice: grant }
  })
  const names = new Set(below.map(({ name }) => name))
  const soon = environments.flatMap((environment) => lowTrouble(environment) ?? []).slice(0, countedAtMost)
  return [...below, ...soon.filter(({ name }) => !names.has(name))]
}

function lowTrouble({ available, days_left: days, ...named }: Facts['environments'][number]): Attention | null {
  if (available <= 0 || days === null || days >= lowDays) return null
  const left = days < 1 ? 'less than a day' : `about ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}`
  const detail = `${creditsText(available)}, enough for ${left}.`
  return { level: 'warning', kind: 'environment', ...namedBy(named), detail, advice: grant }
}

function namedBy({ project, environment }: { project: string; environment: string }) {
  return { name: `${project}/${environment}`, project, environment }
}

function budgetTrouble({
  budget,
  spent,
  ...named
}: {
  budget: number
  spent: number
  project: string
  environment: string
}): Attention {
  const isSpent = spent >= budget
  const detail = isSpent
    ? `Its budget of ${creditsText(budget)} for this month is spent.`
    : `${spent} of its budget of ${creditsText(budget)} for this month are spent.`
  const advice = 'Raise the budget, or wait for the 1st, when it renews.'
  return { level: isSpent ? 'danger' : 'warning', kind: 'budget', ...namedBy(named), detail, advice }
}

/** Keys that have reached a ceiling or are near one. */
async function keyTroubles(deps: OperatorDeps, project: string | null, at: number): Promise<Attention[]> {
  const working = { project, environment: null, mode: 'live', state: 'active', after: null, at } as const
  const full = await deps.store.keys.listKeys({ ...working, full: true, limit: countedAtMost })
  const near = await deps.store.keys.listKeys({
    ...working,
    nearPercent: usualAlerts.nearPercent,
    limit: countedAtMost,
  })
  const fullIds = new Set(full.map(({ id }) => id))
  return [...full, ...near.filter(({ id }) => !fullIds.has(id))].map((key) => keyTrouble(key, fullIds.has(key.id)))
}

function keyTrouble(
  key: Awaited<ReturnType<OperatorDeps['store']['keys']['listKeys']>>[number],
  isFull: boolean,
): Attention {
  const { id, display, label, project, environment } = key
  const ofMonth = part(key.spent_this_month, key.ceiling)
  const ofDay = part(key.spent_today, key.daily_ceiling)
  const period = ofMonth >= 1 || ofMonth >= ofDay ? 'month' : 'day'
  const detail = isFull
    ? `A key of ${project}/${environment} has reached its ceiling of the ${period}.`
    : `A key of ${project}/${environment} has spent ${Math.floor(100 * Math.max(ofMonth, ofDay))} % of its ceiling of the ${period}.`
  const advice = `Raise the ceiling, or wait for the next ${period}.`
  const level = isFull ? 'danger' : 'warning'
  return { level, kind: 'key', name: label || display, detail, advice, project, environment, key_id: id }
}

function part(spent: number, ceiling: number | null): number {
  if (ceiling === null) return 0
  return ceiling === 0 ? 1 : spent / ceiling
}

async function waitingWork({ store }: OperatorDeps): Promise<Attention[]> {
  if (!(await store.upkeep.workStopped(null))) return []
  const detail = 'Its batches, watches and webhooks are stopped until you resume them.'
  const advice = 'Stop the service that the backup came from, then resume them.'
  return [{ level: 'warning', kind: 'work', name: 'Restored store', detail, advice }]
}

const gigabyte = 1_073_741_824

function machineTrouble({ lateBackup, diskRoom, clockSkew }: OperatorDeps): Attention[] {
  const late = lateBackup()
  const room = diskRoom()
  const skew = clockSkew()
  const found: Attention[] = []
  if (skew) {
    const level = skew.stopsPaidCalls ? 'danger' : 'warning'
    const advice = 'Synchronize the clock with NTP.'
    found.push({ level, kind: 'clock', name: 'Clock', detail: `${skew.detail}.`, advice })
  }
  if (late !== null) {
    const advice = 'Make a backup now, and check why the scheduled one failed.'
    found.push({ level: 'warning', kind: 'backup', name: 'Backup', detail: late, advice })
  }
  // On a large disk, a tenth would be more than enough, so cap the threshold.
  if (room && room.freeBytes < Math.min(room.totalBytes / 10, 5 * gigabyte)) {
    const level = room.freeBytes < gigabyte / 4 ? 'danger' : 'warning'
    const detail = `${(room.freeBytes / gigabyte).toFixed(1)} of ${(room.totalBytes / gigabyte).toFixed(1)} GB are free.`
    const advice = 'Free disk space, or use a larger disk: a full disk stops every charge.'
    found.push({ level, kind: 'disk', name: 'Disk of the store', detail, advice })
  }
  return found
}
