import type { UsageRow } from '@vitae/contract/admin'
import { countUsage, type UsageAsk, type UsageCount, type UsageNames, type UsageStore } from './usage-counts.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import { groupOf, type Per, startOf } from './usage-rows.ts'
import { isoTime } from '../../foundation/clock.ts'

/** Requests with more groups than this are refused. */
const groupsAtMost = 100_000

interface Deps {
  store: UsageStore & {
    keyNames(ask: { ids: string[] }): Promise<{ id: string; label: string | null; display: string }[]>
  }
}

interface TopAsk {
  ask: UsageAsk
  per: Per
  top: number
  /** The number of larger groups on previous pages. */
  skip: number
  /** Whether to include the spending of the preceding period of the same length. */
  compare: boolean
}

interface Top {
  rows: UsageRow[]
  /** The number of groups. */
  groups: number
  total: { calls: number; credits: number; credits_before?: number }
}

interface Sum {
  names: UsageNames
  calls: number
  credits: number
}

/** The groups that spent most and all others as one row, per period or for the whole range. */
export async function usageTop(deps: Deps, { ask, per, top, skip, compare }: TopAsk): Promise<Top> {
  const ranked = await countUsage(deps.store, { ...ask, bucketMs: null }, rank)
  const shown = ranked.slice(skip, skip + top)
  const places = shown.map(({ names }) => names)
  const rest = ranked.length - shown.length
  const earlier = { ...ask, since: 2 * ask.since - ask.until, until: ask.since }
  const before = compare ? await sumPlaces(deps, { ...earlier, bucketMs: null, places }, () => 0) : null
  const sums =
    per === 'all'
      ? new Map([[ask.since, ofWhole(shown, ranked)]])
      : await sumPlaces(deps, { ...ask, places }, (at) => startOf(per, at))
  const labels = await labelsOf(deps, places)
  const rows = [...sums]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([period, own]) =>
      [...own]
        .toSorted(([a], [b]) => orderOf(a) - orderOf(b))
        .map(([place, { calls, credits }]): UsageRow => ({
          period: isoTime(period),
          ...(place < 0 ? { rest: Math.max(rest, 1) } : { ...groupOf(places[place] ?? {}), ...labels[place] }),
          calls,
          credits,
          ...(before ? { credits_before: before.get(0)?.get(place)?.credits ?? 0 } : {}),
          p50_ms: null,
          p95_ms: null,
        })),
    )
  const total = totalOf(ranked)
  const credits_before = totalOf([...(before?.get(0)?.values() ?? [])]).credits
  return { rows, groups: ranked.length, total: before ? { ...total, credits_before } : total }
}

/** The rest comes last. */
function orderOf(place: number): number {
  return place < 0 ? Infinity : place
}

type Figures = Pick<Sum, 'calls' | 'credits'>

function totalOf(sums: readonly Figures[]): Figures {
  const sum = (read: (each: Figures) => number) => sums.reduce((total, each) => total + read(each), 0)
  return { calls: sum(({ calls }) => calls), credits: sum(({ credits }) => credits) }
}

/** Every group over the whole range, the most expensive first. */
async function rank(counts: AsyncIterable<UsageCount>): Promise<Sum[]> {
  const sums = new Map<string, Sum>()
  for await (const { at: _at, durationStep: _step, calls, credits, ...names } of counts) {
    const name = JSON.stringify(names)
    const sum = sums.get(name)
    if (sum) {
      sum.calls += calls
      sum.credits += credits
    } else {
      if (sums.size === groupsAtMost)
        throw invalidParameter(
          'group',
          `makes more than ${groupsAtMost} groups; group by less, or choose a shorter period`,
        )
      sums.set(name, { names, calls, credits })
    }
  }
  return [...sums]
    .toSorted(([a, one], [b, other]) => other.credits - one.credits || other.calls - one.calls || (a < b ? -1 : 1))
    .map(([, sum]) => sum)
}

/** The shown groups by their index, and all others as -1. */
function ofWhole(shown: readonly Sum[], ranked: readonly Sum[]): Map<number, Figures> {
  const own = new Map<number, Figures>(shown.map((sum, place) => [place, sum]))
  const known = new Set(shown)
  const others = ranked.filter((sum) => !known.has(sum))
  if (others.length > 0) own.set(-1, totalOf(others))
  return own
}

/** The sums of the groups per period; -1 stands for all other groups. */
function sumPlaces(
  deps: Deps,
  ask: UsageAsk,
  periodOf: (at: number) => number,
): Promise<Map<number, Map<number, Figures>>> {
  return countUsage(deps.store, ask, async (counts) => {
    const sums = new Map<number, Map<number, Figures>>()
    for await (const { at, place = -1, calls, credits } of counts) {
      const period = sums.get(periodOf(at)) ?? new Map<number, Figures>()
      sums.set(periodOf(at), period)
      const sum = period.get(place) ?? { calls: 0, credits: 0 }
      period.set(place, { calls: sum.calls + calls, credits: sum.credits + credits })
    }
    return sums
  })
}

async function labelsOf(deps: Deps, places: readonly UsageNames[]): Promise<Partial<UsageRow>[]> {
  const ids = places.flatMap(({ keyId }) => keyId ?? [])
  const keys = new Map((await deps.store.keyNames({ ids })).map((key) => [key.id, key]))
  return places.map(({ keyId }) => {
    const key = keyId === undefined ? undefined : keys.get(keyId)
    return key ? { key_label: key.label, key_display: key.display } : {}
  })
}
