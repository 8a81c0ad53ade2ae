import type { Company, Kind, Person } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { diffRecords } from '../../records/changes/judge-changes.ts'
import { storedRecord, filledFields } from './fill-counts.ts'

/** Two providers' records of one subject, field by field. */
export interface Comparison {
  kind: Kind
  /** `member_urn` or `company_id`. */
  key: string
  providers: [string, string]
  /** Fields for which both have a value. */
  compared: string[]
  /** The compared fields whose values differ. */
  differ: string[]
}

/**
 * Compares the latest records that each pair of providers has of these entities in a period. Pass only a few entities
 * per call.
 */
export async function compareProviders(
  { db }: Connection,
  { entityIds, since, until }: { entityIds: readonly number[]; since: number; until: number },
): Promise<Comparison[]> {
  const rows = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.id', 'versions.entity_id', 'versions.provider', 'entities.kind', 'entities.key'])
    .where('versions.entity_id', 'in', [...entityIds])
    .where('versions.fetched_at', '>=', since)
    .where('versions.fetched_at', '<', until)
    .orderBy('versions.fetched_at', 'desc')
    .orderBy('versions.id', 'desc')
    .execute()
  const newest = new Map(rows.toReversed().map((row) => [`${row.entity_id} ${row.provider}`, row]))
  const sides: Side[] = []
  for (const row of newest.values()) sides.push({ ...row, record: await recordOf(db, row.id) })
  const byEntity = Map.groupBy(sides, (side) => side.entity_id)
  return [...byEntity.values()].flatMap(pairsOf).map(([a, b]) => compare(a, b))
}

interface Side {
  entity_id: number
  provider: string
  kind: Kind
  key: string
  record: object
}

async function recordOf(db: Connection['db'], id: number): Promise<object> {
  const { body } = await db.selectFrom('versions').select('body').where('id', '=', id).executeTakeFirstOrThrow()
  return storedRecord(body)
}

function pairsOf(sides: Side[]): [Side, Side][] {
  const sorted = sides.toSorted((a, b) => (a.provider < b.provider ? -1 : 1))
  return sorted.flatMap((a, index) => sorted.slice(index + 1).map((b): [Side, Side] => [a, b]))
}

function compare(a: Side, b: Side): Comparison {
  const others = filledFields(b.record)
  const both = new Set([...filledFields(a.record)].filter((field) => others.has(field)))
  const { kind, key } = a
  return { kind, key, providers: [a.provider, b.provider], compared: [...both], differ: differing(a, b, both) }
}

/**
 * Compares both as thin records, so that a field missing on one side is not a difference. Paths lose the names of list
 * elements.
 */
function differing(a: Side, b: Side, both: ReadonlySet<string>): string[] {
  // The stored body of a version is a record of its entity's kind.
  const side = ({ provider, record }: Side) => ({ record: record as Person & Company, provider, thin: true })
  const paths = diffRecords(a.kind, side(a), side(b)).map(({ path }) => path.replace(/\[[^\]]*(?:\]|$)/g, ''))
  return [...new Set(paths)].filter((path) => both.has(path))
}

interface SharedAsk {
  since: number
  until: number
  /** Reads versions older than this time. */
  before: number
  /** The approximate number of versions to read. */
  rows: number
}

/** Finds the entities with versions from two providers in a period, one slice at a time, going back in time. */
export async function sharedRecords(
  { db }: Connection,
  { since, until, before, rows }: SharedAsk,
): Promise<{ entityIds: number[]; next: number | null }> {
  const row = await db
    .selectFrom('versions')
    .select('fetched_at')
    .where('fetched_at', '>=', since)
    .where('fetched_at', '<', before)
    .orderBy('fetched_at', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  const start = row?.fetched_at ?? since
  const found = await db
    .selectFrom('versions')
    .select('entity_id')
    .distinct()
    .where('fetched_at', '>=', start)
    .where('fetched_at', '<', before)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('versions as others')
          .select('others.id')
          .whereRef('others.entity_id', '=', 'versions.entity_id')
          .whereRef('others.provider', '!=', 'versions.provider')
          .where('others.fetched_at', '>=', since)
          .where('others.fetched_at', '<', until),
      ),
    )
    .execute()
  return { entityIds: found.map(({ entity_id: id }) => id), next: start > since ? start : null }
}
