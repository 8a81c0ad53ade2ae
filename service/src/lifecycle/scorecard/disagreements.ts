import type { Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import type { Comparison } from './store/compare-providers.ts'
import type { LifecycleStore } from '../operations.ts'

/** Where two providers say different things about the same records. */
export interface Disagreement {
  kind: Kind
  providers: [string, string]
  /** How many records of both were compared. */
  records: number
  /** The most disputed first; fields that never differ are left out. */
  fields: { field: string; compared: number; differ: number }[]
  /** Keys of some records to look at. */
  examples: string[]
}

const recordLimit = 200
const sliceLimit = 40
const rowsAtOnce = 2_000
const recordsAtOnce = 10
const exampleLimit = 5

type Store = Pick<LifecycleStore, 'sharedRecords' | 'compareProviders'>
interface Span {
  since: number
  until: number
}

/** Compares the newest records that two providers both know. Bounded: so many records, and so many versions looked at. */
export async function findDisagreements(store: Store, span: Span): Promise<Disagreement[]> {
  const ids = await sharedIds(store, span)
  const comparisons: Comparison[] = []
  for (let at = 0; at < ids.length; at += recordsAtOnce) {
    const entityIds = ids.slice(at, at + recordsAtOnce)
    comparisons.push(...(await store.compareProviders({ entityIds, ...span })))
  }
  const groups = Map.groupBy(comparisons, ({ kind, providers }) => `${kind} ${providers.join(' ')}`)
  return [...groups.values()].flatMap((group) => summary(group) ?? [])
}

async function sharedIds(store: Store, span: Span): Promise<number[]> {
  const ids = new Set<number>()
  let before: number | null = span.until
  for (let slice = 0; slice < sliceLimit && before !== null && ids.size < recordLimit; slice++) {
    const found: Awaited<ReturnType<Store['sharedRecords']>> = await store.sharedRecords({
      ...span,
      before,
      rows: rowsAtOnce,
    })
    for (const id of found.entityIds) ids.add(id)
    before = found.next
  }
  return [...ids].slice(0, recordLimit)
}

function summary(group: Comparison[]): Disagreement | null {
  const [first] = group
  if (!first) return null
  const { kind, providers } = first
  const compared = countFields(group.map((one) => fieldsOf(kind, one.compared)))
  const differ = countFields(group.map((one) => fieldsOf(kind, one.differ)))
  const fields = [...differ]
    .map(([field, count]) => ({ field, compared: compared.get(field) ?? count, differ: count }))
    .toSorted((a, b) => b.differ - a.differ || (a.field < b.field ? -1 : 1))
  const examples = group.filter((one) => one.differ.length > 0).map(({ key }) => key)
  return { kind, providers, records: group.length, fields, examples: examples.slice(0, exampleLimit) }
}

function countFields(lists: Iterable<ReadonlySet<string>>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const fields of lists) for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1)
  return counts
}

/** What lies inside a field of the contract, such as the year of a date, counts as that field. */
function fieldsOf(kind: Kind, paths: readonly string[]): Set<string> {
  return new Set(
    paths.flatMap((path) => {
      let field = path
      while (field !== '' && !everyField[kind].has(field)) field = field.slice(0, Math.max(0, field.lastIndexOf('.')))
      return field === '' ? [] : [field]
    }),
  )
}
