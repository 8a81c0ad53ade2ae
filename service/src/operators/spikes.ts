import type { AdminAnswer } from '@vitae/contract/admin'
import { dayMs, isoTime } from '../foundation/clock.ts'
import type { OperatorDeps } from './deps.ts'

type Attention = AdminAnswer<'readOverview'>['attention'][number]

/** Calls and the failed ones among them. */
export interface Outcomes {
  calls: number
  failures: number
}

const failuresAtLeast = 10
/** With fewer calls before, there is no usual rate. */
const usualCallsAtLeast = 100
const bucketMs = 15 * 60_000
export const spikeHourMs = 3_600_000
export const spikeDays = 14

/** The share of failures that is a spike: twice the usual one, and at least ten percentage points above it. */
function spikeShare(usual: Outcomes): number {
  const share = usualShare(usual) ?? 0
  return Math.max(2 * share, share + 0.1)
}

/** The usual share of failures; null if too few calls are known. */
export function usualShare({ calls, failures }: Outcomes): number | null {
  return calls < usualCallsAtLeast ? null : failures / calls
}

/** Whether the share of failures in the last hour is unusual. */
export function isSpike({ calls, failures }: Outcomes, usual: Outcomes): boolean {
  return failures >= failuresAtLeast && failures >= calls * spikeShare(usual)
}

/** The start of a spike: the oldest quarter of an hour from which on every one with calls is unusual. */
export function spikeStart(buckets: readonly (Outcomes & { at: number })[], usual: Outcomes): number | null {
  let start: number | null = null
  for (const { at, calls, failures } of buckets.toSorted((a, b) => b.at - a.at)) {
    if (calls > 0 && failures < calls * spikeShare(usual)) break
    if (failures > 0) start = at
  }
  return start
}

/** Says how much fails, what is usual, and since when. */
export function spikeText({ calls, failures }: Outcomes, usual: Outcomes, since: number | null, what: string): string {
  const share = usualShare(usual)
  const percent = (part: number) => `${Math.round(part * 100)} %`
  const usually = share === null ? '' : `, usually ${percent(share)}`
  const began = since === null ? '' : ` It began at ${isoTime(since).slice(11, 16)} UTC.`
  return `${failures} of ${calls} ${what} failed in the last hour (${percent(failures / calls)}${usually}).${began}`
}

type Places = ReadonlyMap<string, Outcomes>

/** Environments in which unusually many calls were refused or failed in the last hour. */
export async function environmentSpikes(
  deps: OperatorDeps,
  { project, at, usual }: { project: string | null; at: number; usual: Places },
): Promise<Attention[]> {
  const found: Attention[] = []
  const lately = await outcomesByPlace(deps, { project, since: at - spikeHourMs, until: at + 1 })
  for (const [place, outcomes] of lately) {
    const before = usual.get(place) ?? { calls: 0, failures: 0 }
    if (!isSpike(outcomes, before)) continue
    const [owner, environment] = JSON.parse(place) as [string, string]
    const since = spikeStart(await bucketsOf(deps, owner, environment, at), before)
    const { code, failures } = await deps.store.usage.recentFailures({
      project: owner,
      environment,
      since: at - spikeHourMs,
    })
    const most = code === null ? '' : ` Most have the code ${code}.`
    found.push({
      level: failures > 0 ? 'danger' : 'warning',
      kind: 'failures',
      name: `${owner}/${environment}`,
      project: owner,
      environment,
      detail: spikeText(outcomes, before, since, 'calls') + most,
      advice: 'Open one of the calls: its receipt says why it failed.',
      ...(code === null ? {} : { code }),
    })
  }
  return found
}

/** Calls by environment. A record that was not found is an answer, not a failure. */
export async function outcomesByPlace(
  { store }: OperatorDeps,
  { project, since, until }: { project: string | null; since: number; until: number },
): Promise<Map<string, Outcomes & { credits: number }>> {
  const by = ['environment', 'status'] as const
  const ask = { since, until, bucket: null, by, project, environment: null, mode: 'live' as const }
  const [counts = []] = await store.usage.countUsage({ ask })
  const sums = new Map<string, Outcomes & { credits: number }>()
  for (const count of counts) {
    const name = JSON.stringify([count.project, count.environment])
    const sum = sums.get(name) ?? { calls: 0, failures: 0, credits: 0 }
    sums.set(name, sum)
    sum.calls += count.calls
    sum.credits += count.credits
    if (isFailure(count.status)) sum.failures += count.calls
  }
  return sums
}

async function bucketsOf({ store }: OperatorDeps, project: string, environment: string, at: number) {
  const by = ['status'] as const
  const ask = { since: at - dayMs, until: at + 1, bucket: bucketMs, by, project, environment, mode: 'live' as const }
  const [counts = []] = await store.usage.countUsage({ ask })
  const sums = new Map<number, Outcomes & { at: number }>()
  for (const { at: start, calls, status } of counts) {
    const sum = sums.get(start) ?? { at: start, calls: 0, failures: 0 }
    sums.set(start, sum)
    sum.calls += calls
    if (isFailure(status)) sum.failures += calls
  }
  return [...sums.values()]
}

function isFailure(status = 0): boolean {
  return status >= 400 && status !== 404
}

/** The outcomes of one provider in the last hour and usually, and the start of a spike. */
export async function providerSpikes({ store }: OperatorDeps, now: number) {
  const lately = await store.providers.recentCalls({ since: now - spikeHourMs })
  const { counts } = await store.providers.providerDays({ since: now - spikeDays * dayMs, until: now })
  const usualOf = (provider: string) => {
    const own = counts.filter((count) => count.provider === provider)
    const sum = (of: typeof own) => of.reduce((total, { calls }) => total + calls, 0)
    const answered = own.filter(({ outcome }) => outcome === 'found' || outcome === 'not_found')
    return { calls: sum(own), failures: sum(own) - sum(answered) }
  }
  const spiking = lately.filter((row) => isSpike(row, usualOf(row.provider)))
  const buckets = spiking.length === 0 ? [] : await store.providers.recentCalls({ since: now - dayMs, bucketMs })
  return new Map(
    lately.map((row) => {
      const usual = usualOf(row.provider)
      const own = buckets.filter(({ provider }) => provider === row.provider)
      const since = spiking.includes(row) ? spikeStart(own, usual) : null
      return [row.provider, { ...row, usual, since }]
    }),
  )
}
