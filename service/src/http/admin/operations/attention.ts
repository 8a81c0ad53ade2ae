import Type, { type Static } from 'typebox'
import type { AppDeps } from '../../deps.ts'
import type { ProviderView } from './provider-view.ts'

const kinds = ['provider', 'environment', 'budget', 'key', 'backup', 'disk', 'work'] as const

/** One thing that needs a person. */
export const Attention = Type.Object({
  level: Type.Enum(['danger', 'warning']),
  kind: Type.Enum([...kinds]),
  name: Type.String({ description: 'Of the provider, environment or key.' }),
  detail: Type.String(),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
})
type Attention = Static<typeof Attention>

interface Facts {
  project: string | null
  providers: readonly ProviderView[]
  environments: readonly {
    project: string
    environment: string
    available: number
    days_left: number | null
  }[]
}

const ofEachKind = 20
const lowDays = 7

/** Everything that needs a person now, what stops calls first; at most 20 of a kind. */
export async function needsAttention(deps: AppDeps, facts: Facts): Promise<Attention[]> {
  const { project } = facts
  const at = deps.clock.now()
  const limits = await deps.store.limitsReached({ project, at, limit: ofEachKind })
  const working = { project, environment: null, mode: 'live', state: 'active', after: null, at } as const
  const fullKeys = await deps.store.listKeys({ ...working, full: true, limit: ofEachKind })
  const found = [
    ...facts.providers.filter((provider) => provider.in_chain).flatMap((provider) => providerTrouble(provider) ?? []),
    ...limits.empty.map((named) => ({ ...emptyTrouble, ...namedBy(named) })),
    ...facts.environments.flatMap((environment) => lowTrouble(environment) ?? []).slice(0, ofEachKind),
    ...limits.budgets.map((spent) => ({ ...budgetTrouble(spent.budget), ...namedBy(spent) })),
    ...fullKeys.map(keyTrouble),
    // The machine belongs to no project.
    ...(project === null ? [...machineTrouble(deps), ...(await waitingWork(deps))] : []),
  ]
  return [...found.filter(({ level }) => level === 'danger'), ...found.filter(({ level }) => level === 'warning')]
}

function providerTrouble(provider: ProviderView): Attention | null {
  const { budget, recent, last_fault: fault, last_answer_at: answeredAt } = provider
  const trouble = (level: Attention['level'], detail: string): Attention => {
    return { level, kind: 'provider', name: provider.label, detail }
  }
  if (provider.paused) return trouble('warning', 'It is paused, so nothing new is fetched from it.')
  if (budget.limit !== null && budget.calls >= budget.limit)
    return trouble('danger', `Its ${budget.limit} calls of ${budget.month} are spent.`)
  if (fault?.kind === 'rejected' && (answeredAt === null || answeredAt < fault.at))
    return trouble('danger', 'It rejects our key or account. Check the contract and the key.')
  if (provider.breaker === 'open') return trouble('danger', 'It failed so often that it is not asked for now.')
  if (recent.failures >= 5 && recent.failures * 2 >= recent.calls)
    return trouble('danger', `${recent.failures} of ${recent.calls} calls failed in the last hour.`)
  if (budget.limit !== null && budget.calls >= budget.limit * 0.9)
    return trouble('warning', `${budget.calls} of its ${budget.limit} calls of ${budget.month} are spent.`)
  return null
}

const emptyTrouble = { level: 'danger' as const, kind: 'environment' as const, detail: 'It has no credits left.' }

function lowTrouble({ available, days_left: days, ...named }: Facts['environments'][number]): Attention | null {
  if (available <= 0 || days === null || days >= lowDays) return null
  const left = days < 1 ? 'less than a day' : `about ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}`
  return {
    level: 'warning',
    kind: 'environment',
    ...namedBy(named),
    detail: `${available} credits, enough for ${left}.`,
  }
}

function namedBy({ project, environment }: { project: string; environment: string }) {
  return { name: `${project}/${environment}`, project, environment }
}

function budgetTrouble(budget: number) {
  const detail = `Its budget of ${budget} credits for this month is spent.`
  return { level: 'danger' as const, kind: 'budget' as const, detail }
}

function keyTrouble(key: Awaited<ReturnType<AppDeps['store']['listKeys']>>[number]): Attention {
  const { id, display, label, project, environment } = key
  const period = key.ceiling !== null && key.spent_this_month >= key.ceiling ? 'month' : 'day'
  const detail = `A key of ${project}/${environment} has reached its ceiling of the ${period}.`
  return { level: 'danger', kind: 'key', name: label || display, detail, project, environment, key_id: id }
}

async function waitingWork({ store }: AppDeps): Promise<Attention[]> {
  if (!(await store.workStopped(null))) return []
  const detail = 'Its batches, watches and webhooks wait until they are resumed.'
  return [{ level: 'warning', kind: 'work', name: 'Restored store', detail }]
}

const gigabyte = 1_073_741_824

function machineTrouble({ lateBackup, diskRoom }: AppDeps): Attention[] {
  const late = lateBackup()
  const room = diskRoom()
  const found: Attention[] = []
  if (late !== null) found.push({ level: 'warning', kind: 'backup', name: 'Backup', detail: late })
  // A tenth of a large disk is plenty.
  if (room && room.freeBytes < Math.min(room.totalBytes / 10, 5 * gigabyte)) {
    const level = room.freeBytes < gigabyte / 4 ? 'danger' : 'warning'
    const detail = `${(room.freeBytes / gigabyte).toFixed(1)} of ${(room.totalBytes / gigabyte).toFixed(1)} GB are free.`
    found.push({ level, kind: 'disk', name: 'Disk of the store', detail })
  }
  return found
}
