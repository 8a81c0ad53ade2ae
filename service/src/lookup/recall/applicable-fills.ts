import type { RecordStore } from '../../records/operations.ts'
import { units, type Kind } from '@vitae/contract'
import { mayUse, type Route } from '../../foundation/environments/route.ts'
import { isThin, serialiseRecord } from '../../records/body/record-bytes.ts'
import { recordIn } from '../../records/body/rewrite-record.ts'
import { fillRecord, type Fill } from '../../records/filling/plan-fills.ts'
import { effectiveMaxAgeMs, wantsFresh, type FreshnessAsk, type FreshnessRules } from '../asked/freshness.ts'
import { ageOf, type Clock } from '../../foundation/clock.ts'
import type { Lookup } from '../asked/lookup.ts'
import type { ReadyRecord } from './record-cache.ts'

/** Whether an environment may be served this record and all of its fills. */
export function isOnRoute({ provider, fold }: ReadyRecord, route: Route): boolean {
  return mayUse(route, provider) && (fold?.fills.every((fill) => mayUse(route, fill.provider)) ?? true)
}

/** Records with a subset of their fills, cached with the record because most callers see the same subset. */
const partial = new WeakMap<ReadyRecord, Map<string, ReadyRecord>>()

/** The record with only those of its fills that `keeps` allows. */
export function keepFills(record: ReadyRecord, keeps: (fill: Fill) => boolean): ReadyRecord {
  const { fold } = record
  if (!fold || fold.fills.every(keeps)) return record
  const kept = fold.fills.filter(keeps)
  const name = kept.map(({ unit }) => unit).join()
  const known = partial.get(record) ?? new Map<string, ReadyRecord>()
  partial.set(record, known)
  const made = known.get(name) ?? withFills(record, fold, kept)
  known.set(name, made)
  return made
}

function withFills(record: ReadyRecord, { base }: NonNullable<ReadyRecord['fold']>, fills: Fill[]): ReadyRecord {
  const { fold: _, ...rest } = record
  if (fills.length === 0) return { ...rest, ...base }
  const whole = recordIn(record.body)
  const filled = fillRecord(
    recordIn(base.body),
    fills.map(({ unit }) => ({ unit, from: whole })),
  )
  return { ...rest, ...serialiseRecord(record.kind, filled), thin: isThin(filled), fold: { id: null, fills, base } }
}

/**
 * The record as a call may see it: only fills within the call's maximum age. If the base itself is too old, it can only
 * serve as a fallback in an outage, and so can its fills. A call that wants fresh data sees only fills that it fetched
 * itself.
 */
export function withinAge(
  { clock, rules }: { clock: Clock; rules: { freshness: FreshnessRules } },
  record: ReadyRecord,
  freshness: Pick<FreshnessAsk, 'maxAgeDays' | 'bypassCache'>,
): ReadyRecord {
  if (!record.fold) return record
  const now = clock.now()
  const maxAgeMs = effectiveMaxAgeMs(freshness.maxAgeDays, rules.freshness)
  const baseAge = ageOf(record.fetchedAt, now)
  const isFresh = wantsFresh(freshness, rules.freshness)
  const isCurrent = !isFresh && baseAge !== null && baseAge <= maxAgeMs
  const limit = isCurrent ? maxAgeMs : rules.freshness.staleMaxMs
  return keepFills(record, (fill) => {
    if (record.fetched?.some(({ versionId }) => versionId === fill.versionId)) return true
    return record.fetched ? !isFresh && isYoung(fill, now, maxAgeMs) : isYoung(fill, now, limit)
  })
}

function isYoung({ fetchedAt }: Fill, now: number, limitMs: number): boolean {
  const age = ageOf(fetchedAt, now)
  return age !== null && age <= limitMs
}

/** The record with only the fills that this answer shows: those in the requested parts and fields. */
export function shownFills(record: ReadyRecord, asked: Pick<Lookup, 'include' | 'fields'>): ReadyRecord {
  const shown = keepFills(record, ({ unit }) => isShown(record.kind, unit, asked))
  // Thinness is a property of the whole record, so it does not depend on the fields that are shown.
  return shown.thin === record.thin ? shown : { ...shown, thin: record.thin }
}

/** Whether an answer shows a unit: the caller asked for its part and its field. */
export function isShown(kind: Kind, name: string, { include, fields }: Pick<Lookup, 'include' | 'fields'>): boolean {
  const part = units[kind].find((unit) => unit.name === name)?.part
  return (!part || include[part]) && (!fields || fields.includes(name.split('.', 1)[0] ?? ''))
}

/** Records the fills of an answer in the store, unless they are recorded already. */
export async function noteFold(
  deps: { store: { records: Pick<RecordStore, 'noteFold'> } },
  { versionId, fold }: ReadyRecord,
): Promise<void> {
  if (fold) fold.id ??= await deps.store.records.noteFold({ versionId, fills: fold.fills })
}
