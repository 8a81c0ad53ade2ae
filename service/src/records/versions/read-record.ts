import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { runPrepared, overTuples } from '../../database/sql/prepared.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import type { Denials } from '../../foundation/environments/route.ts'
import { readDenials } from '../rows/alias-rows.ts'
import { copyColumns, toStoredCopy, type CopyRow, type StoredCopy } from '../rows/stored-copy.ts'
import { fillsIn, foldedCopy, planFold, readFold } from './fold-rows.ts'
import { noFold } from '../filling/plan-fills.ts'

export interface Recalled {
  /** If true, nobody gets a copy. */
  suppressed: boolean
  /** When a provider last denied the record, or would have been asked if its subject were not suppressed. */
  notFoundAt: number | null
  copy: StoredCopy | null
  /** The providers that denied the record while others were not asked. */
  denials?: Denials | undefined
  /** The fills from other versions are not planned yet: `foldEntity` plans them. */
  isUnfolded?: true
}

interface Question {
  from: string
  hash: string
  kind: string
  type: string
  value: string
}

/** Five index probes with a fixed text: building it per call would cost more than running it. A withdrawn alias returns no copy. */
const recallText = ({ from, hash, kind, type, value }: Question, columns: readonly string[]) => `
  select suppressions.hash as suppressed, hidden_misses.at as hidden_at, aliases.not_found_at,
    aliases.denials, entities.fold_id, folds.version_id as fold_base, folds.units as fold_units, ${columns.join(', ')}
  from ${from} as question
  left join suppressions on suppressions.hash = ${hash}
  left join hidden_misses on hidden_misses.hash = ${hash}
  left join aliases on aliases.kind = ${kind} and aliases.type = ${type} and aliases.value = ${value}
  left join entities on entities.id = aliases.entity_id and aliases.withdrawn = 0
  left join versions on versions.id = entities.version_id
  left join folds on folds.id = entities.fold_id`

/** Every lookup that misses the cache runs this. */
const recallOne = recallText({ from: '(select 1 as one)', hash: '?', kind: '?', type: '?', value: '?' }, copyColumns)
const recallFacts = {
  text: recallText({ from: '(values [items])', hash: 'column2', kind: 'column3', type: 'column4', value: 'column5' }, [
    'column1 as place',
    ...copyColumns.map((column) => column.replace(/^versions\.(body|parts)$/, 'null as $1')),
  ]),
  item: '(cast(? as bigint), cast(? as text), cast(? as text), cast(? as text), cast(? as text))',
}

type RecallRow = {
  suppressed: string | null
  hidden_at: number | null
  not_found_at: number | null
  denials: string | null
} & ((CopyRow & FoldColumns) | { version_id: null })

interface FoldColumns {
  fold_id: number | null
  fold_base: number | null
  fold_units: string | null
}

interface AskedRecord {
  identifier: Identifier
  suppressionHash: string
  /** Nobody reads the record: a copy without fills comes without its body, which is half the cost of reading it. */
  onlyFacts?: boolean
}

/**
 * The stored knowledge about an identifier. A copy that a provider has denied since is not returned under that alias.
 */
export async function readRecord(connection: Connection, asked: AskedRecord): Promise<Recalled> {
  const [facts] = asked.onlyFacts ? await readFacts(connection, { asked: [asked] }) : []
  if (facts) return facts
  const { identifier, suppressionHash } = asked
  const { kind, type, value } = identifier
  const parameters = [suppressionHash, suppressionHash, kind, type, value]
  const [row] = await runPrepared<RecallRow>(connection.db, connection.dialect, recallOne, parameters)
  return row ? recalledBy(connection, kind, row) : { suppressed: false, notFoundAt: null, copy: null }
}

/** The same for some identifiers at once, in their order. A copy without fills has no body. */
export async function readFacts(
  connection: Connection,
  { asked }: { asked: readonly AskedRecord[] },
): Promise<Recalled[]> {
  // Few lengths mean few statements.
  const count = 2 ** Math.ceil(Math.log2(asked.length))
  const last = asked.length - 1
  const parameters = Array.from({ length: count }, (_, index) => asked[Math.min(index, last)]).flatMap((one, index) =>
    one
      ? [Math.min(index, last), one.suppressionHash, one.identifier.kind, one.identifier.type, one.identifier.value]
      : [],
  )
  type FactsRow = RecallRow & { place: number }
  const rows = await runPrepared<FactsRow>(connection.db, connection.dialect, { ...recallFacts, count }, parameters)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  const recalled: Recalled[] = []
  for (const [place, { identifier, suppressionHash }] of asked.entries()) {
    const row = byPlace.get(place)
    // Which of the fills a caller may see depends on their units, so a filled record is read whole.
    const isFilled = row && row.version_id !== null && foldIn(row)
    const whole = () => readRecord(connection, { identifier, suppressionHash })
    recalled.push(await (row && !isFilled ? recalledBy(connection, identifier.kind, row) : whole()))
  }
  return recalled
}

async function recalledBy({ db }: Pick<Connection, 'db'>, kind: Kind, row: RecallRow): Promise<Recalled> {
  const { hidden_at: hiddenAt, not_found_at: notFoundAt } = row
  if (row.suppressed !== null) return { suppressed: true, notFoundAt: hiddenAt, copy: null }
  const denials = readDenials(row.denials)
  if (row.version_id !== null) {
    const fold = foldIn(row)
    const copy = await foldedCopy({ db }, kind, toStoredCopy(row), fold ?? null)
    return { suppressed: false, notFoundAt, copy, denials, ...(fold === undefined ? { isUnfolded: true } : {}) }
  }
  return { suppressed: false, notFoundAt: laterOf(notFoundAt, hiddenAt), copy: null, denials }
}

/** The fold of the served version; null if nothing is filled, undefined if it is not planned yet. */
function foldIn({ fold_id: id, fold_base: base, fold_units: units, version_id }: CopyRow & FoldColumns) {
  if (id === noFold) return null
  return id !== null && units !== null && base === version_id ? { id, fills: fillsIn(units) } : undefined
}

function laterOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

interface AskedVersion {
  versionId: number
  /** The fold of the earlier answer to repeat; null if it had none. Undefined: the current fold. */
  foldId?: number | null
  /** The only providers that may fill it now. */
  providers?: readonly string[]
}

/**
 * One version with its fills, by its id or as the newest that these providers may serve of an entity; null once it is
 * erased.
 */
export async function readVersion(
  connection: Connection,
  asked: AskedVersion | { entityId: number; providers: readonly string[] },
): Promise<StoredCopy | null> {
  const { db } = connection
  if ('entityId' in asked) return newestBy(connection, asked.entityId, asked.providers)
  const { versionId, foldId, providers } = asked
  const row = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(copyColumns)
    .select(['entities.fold_id', 'entities.version_id as served_id'])
    .where('versions.id', '=', versionId)
    .executeTakeFirst()
  if (!row) return null
  const copy = toStoredCopy(row)
  const { fold_id: current, served_id: servedId } = row
  const isCurrent = foldId === undefined && !providers && current !== null && servedId === versionId
  if (foldId !== undefined || isCurrent) {
    const id = foldId === undefined ? current : foldId
    const noted = id ? await readFold(db, id) : null
    return foldedCopy(connection, row.kind, copy, noted?.baseId === versionId ? noted : null)
  }
  const fills = await planFold(
    connection,
    { kind: row.kind, entityId: row.entity_id, baseId: versionId },
    providers ?? null,
  )
  return foldedCopy(connection, row.kind, copy, { id: null, fills })
}

/**
 * The newest version from one of these providers, for environments with a restricted route. A full version is preferred
 * to a thin one. Only versions of these providers fill it.
 */
async function newestBy(
  connection: Connection,
  entityId: number,
  providers: readonly string[],
): Promise<StoredCopy | null> {
  const { db } = connection
  const row = await db
    .selectFrom('versions')
    .select('id')
    .where('versions.entity_id', '=', entityId)
    .where('versions.provider', 'in', [...providers])
    .orderBy('versions.thin')
    .orderBy('versions.fetched_at', 'desc')
    .orderBy('versions.id', 'desc')
    .executeTakeFirst()
  return row ? readVersion(connection, { versionId: row.id, providers }) : null
}

const setUse = {
  text: `update entities set used_at = v.column2 from ([values]) as v
    where id = v.column1 and coalesce(used_at, 0) < v.column2`,
  tuple: ['cast(? as bigint)', 'cast(? as bigint)'],
}

/**
 * Records when records were last served, for the retention of unused ones and the subject export. It is called
 * periodically for many records, not per lookup. A record that is being saved is skipped: the save records its use.
 */
export async function markUsed(
  connection: Connection,
  { used }: { used: { id: number; at: number }[] },
): Promise<void> {
  const free = await unlocked(connection, used)
  const rows = free.map(({ id, at }): [number, number] => [id, at])
  await overTuples(connection, setUse, rows)
}

/** A concurrent save locks entities in its own order, so waiting for one could deadlock. */
async function unlocked<Use extends { id: number }>({ db, dialect }: Connection, used: Use[]): Promise<Use[]> {
  if (!dialect.locksRows || used.length === 0) return used
  const ids = used.map(({ id }) => id)
  const entities = db.selectFrom('entities').select('id').where('id', 'in', ids)
  const rows = await dialect.lock(entities, { skipLocked: true }).execute()
  const free = new Set(rows.map(({ id }) => id))
  return used.filter(({ id }) => free.has(id))
}
