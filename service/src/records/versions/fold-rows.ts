import type { Company, Kind, Person } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { runPrepared } from '../../database/sql/prepared.ts'
import { isThin } from '../body/record-bytes.ts'
import { recordIn, serialised } from '../body/rewrite-record.ts'
import { readDenials } from '../rows/alias-rows.ts'
import { shareRecords } from '../rows/locks.ts'
import { companyNamesContradict, personNamesContradict } from '../names/contradict.ts'
import { unpack } from '../../database/packing/pack.ts'
import type { StoredCopy } from '../rows/stored-copy.ts'
import { fillRecord, noFold, planFills, type Fill, type SaidVersion } from '../filling/plan-fills.ts'
import { unitStates } from '../filling/unit-states.ts'

/** The maximum number of versions that are searched for fills. */
const versionsAtMost = 200

const selectSaid = `
  select id, provider, fetched_at, units from versions
  where entity_id = ? order by fetched_at desc, id desc limit ${versionsAtMost}`
const insertFold = 'insert into folds (version_id, units, checksum) values (?, ?, ?) returning id'
const setFold = 'update entities set fold_id = ? where id = ?'

type SaidRow = { id: number; provider: string; fetched_at: number; units: string | null }
type AnyRecord = Person & Company

interface FoldedEntity {
  kind: Kind
  entityId: number
  /** The served version. */
  baseId: number
}

/** A fold as stored in its row. */
export interface NotedFold {
  id: number | null
  fills: Fill[]
}

/** Plans the fold of an entity and stores it; null if nothing is filled. */
export async function refoldEntity(tx: Tx, dialect: Dialect, entity: FoldedEntity): Promise<NotedFold | null> {
  const fills = await planFold({ db: tx, dialect }, entity, null)
  const id = fills.length > 0 ? await insertFoldRow(tx, dialect, entity.baseId, fills) : noFold
  await runPrepared(tx, dialect, setFold, [id, entity.entityId])
  return fills.length > 0 ? { id, fills } : null
}

/** The fills for a base from the other versions of its entity, limited to the given providers; null = all providers. */
export async function planFold(
  { db: tx, dialect }: Connection,
  { kind, entityId, baseId }: FoldedEntity,
  providers: readonly string[] | null,
): Promise<Fill[]> {
  const rows = await runPrepared<SaidRow>(tx, dialect, selectSaid, [entityId])
  if (rows.length < 2) return []
  const denials = await denialsOf(tx, entityId)
  const allowed = rows.filter(({ id, provider, fetched_at: fetchedAt }) => {
    if (id === baseId) return true
    // Data that a provider returned before it denied the record fills nothing.
    return (!providers || providers.includes(provider)) && fetchedAt >= (denials.get(provider) ?? 0)
  })
  if (allowed.length < 2 || !allowed.some(({ id }) => id === baseId)) return []
  const bodies = new Bodies(tx, entityId)
  const versions: SaidVersion[] = []
  for (const { id, provider, fetched_at: fetchedAt, units } of allowed) {
    // A version from before units were recorded: it is unknown what its provider supplies.
    const states = units ?? unitStates(kind, await bodies.get(id), { supplies: null, notSaid: [] })
    versions.push({ id, provider, fetchedAt, states })
  }
  return planAmongNamesakes(kind, baseId, versions, bodies)
}

/** When each provider last denied one of the entity's names. */
async function denialsOf(tx: Tx, entityId: number): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('aliases')
    .select('denials')
    .where('entity_id', '=', entityId)
    .where('denials', 'is not', null)
    .execute()
  const last = new Map<string, number>()
  for (const { denials } of rows)
    for (const [provider, at] of Object.entries(readDenials(denials) ?? {}))
      last.set(provider, Math.max(at, last.get(provider) ?? 0))
  return last
}

/** A version whose name contradicts the base never fills it. Only the names of versions that would fill are read. */
async function planAmongNamesakes(
  kind: Kind,
  baseId: number,
  versions: readonly SaidVersion[],
  bodies: Bodies,
): Promise<Fill[]> {
  const base = versions.find(({ id }) => id === baseId)
  const strangers = new Set<number>()
  for (;;) {
    const others = versions.filter(({ id }) => !strangers.has(id))
    const fills = base ? planFills(kind, base, others) : []
    const before = strangers.size
    for (const id of new Set(fills.map(({ versionId }) => versionId))) {
      if (namesContradict(kind, await bodies.get(baseId), await bodies.get(id))) strangers.add(id)
    }
    if (strangers.size === before) return fills
  }
}

function namesContradict(kind: Kind, one: AnyRecord, other: AnyRecord): boolean {
  if (kind === 'people') {
    const [mine, theirs] = [one, other].map(({ first_name: first, last_name: last }) => ({ first, last }))
    return mine !== undefined && theirs !== undefined && personNamesContradict(mine, theirs)
  }
  const [mine, theirs] = [one, other].map(({ company_name: name, company_url: site }) => ({ name, site }))
  return mine !== undefined && theirs !== undefined && companyNamesContradict(mine, theirs)
}

/** The records of an entity's versions, each read once. */
class Bodies {
  readonly #tx: Tx
  readonly #entityId: number
  readonly #read = new Map<number, AnyRecord>()

  constructor(tx: Tx, entityId: number) {
    this.#tx = tx
    this.#entityId = entityId
  }

  async get(id: number): Promise<AnyRecord> {
    const known = this.#read.get(id)
    if (known) return known
    const { body } = await this.#tx
      .selectFrom('versions')
      .select('body')
      .where('id', '=', id)
      .where('entity_id', '=', this.#entityId)
      .executeTakeFirstOrThrow()
    const record = recordIn(unpack(body))
    this.#read.set(id, record)
    return record
  }
}

async function insertFoldRow(tx: Tx, dialect: Dialect, baseId: number, fills: readonly Fill[]): Promise<number> {
  const units = foldText(fills)
  const checksum = dialect.checksum('folds', { version_id: baseId, units })
  const [row] = await runPrepared<{ id: number }>(tx, dialect, insertFold, [baseId, units, checksum])
  if (!row) throw new Error('a fold was given no id')
  return row.id
}

/** A copy with units of other versions. A source that was removed, or moved to another entity, fills nothing. */
export async function foldedCopy<Copy extends Omit<StoredCopy, 'key'>>(
  { db }: Pick<Connection, 'db'>,
  kind: Kind,
  base: Copy,
  fold: NotedFold | null,
): Promise<Copy> {
  if (!fold || fold.fills.length === 0) return base
  const { id, fills } = fold
  const rows = await db
    .selectFrom('versions')
    .select(['id', 'body'])
    .where('entity_id', '=', base.entityId)
    .where('id', 'in', [...new Set(fills.map(({ versionId }) => versionId))])
    .execute()
  const sources = new Map(rows.map(({ id, body }) => [id, recordIn(unpack(body))]))
  const present = fills.flatMap((fill) => {
    const from = sources.get(fill.versionId)
    return from ? [{ ...fill, from }] : []
  })
  if (present.length === 0) return base
  const record = fillRecord(recordIn(base.body), present)
  const { body, parts, thin } = base
  const kept = fills.filter(({ versionId }) => sources.has(versionId))
  const filled = { id, fills: kept, base: { body, parts, thin } }
  return { ...base, ...serialised(kind, record), thin: isThin(record), fold: filled }
}

/** A fold as stored in its row: `[unit, version, provider, fetched at]` for each unit. */
function foldText(fills: readonly Fill[]): string {
  return JSON.stringify(fills.map(({ unit, versionId, provider, fetchedAt }) => [unit, versionId, provider, fetchedAt]))
}

/** Parses the fills of a row. */
export function fillsIn(text: string): Fill[] {
  // Written by `foldText`.
  const rows = JSON.parse(text) as [string, number, string, number][]
  return rows.map(([unit, versionId, provider, fetchedAt]) => ({ unit, versionId, provider, fetchedAt }))
}

/** A fold by its id; null once it was removed with its base. */
export async function readFold(db: Tx, id: number): Promise<(NotedFold & { baseId: number }) | null> {
  const row = await db.selectFrom('folds').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? { id, baseId: row.version_id, fills: fillsIn(row.units) } : null
}

/** All folds that a version has had, now or for some callers. */
export async function foldsOf(db: Tx, versionId: number): Promise<Fill[][]> {
  const rows = await db.selectFrom('folds').select('units').where('version_id', '=', versionId).execute()
  return rows.map(({ units }) => fillsIn(units))
}

/**
 * Records that an answer had only some units of a fold, so that its replay has the same; null once its base is erased.
 */
export async function noteFold(
  { db, dialect }: Connection,
  { versionId, fills }: { versionId: number; fills: readonly Fill[] },
): Promise<number | null> {
  await shareRecords(db, dialect)
  const base = await db.selectFrom('versions').select('id').where('id', '=', versionId).executeTakeFirst()
  if (!base) return null
  const text = foldText(fills)
  const known = await db
    .selectFrom('folds')
    .select('id')
    .where('version_id', '=', versionId)
    .where('units', '=', text)
    .executeTakeFirst()
  return known?.id ?? insertFoldRow(db, dialect, versionId, fills)
}

/** Plans the fold of an entity that lacks one: after an upgrade, a purge, a split or a merge. */
export async function foldEntity({ db: tx, dialect }: Connection, { entityId }: { entityId: number }): Promise<void> {
  await shareRecords(tx, dialect)
  const row = await tx
    .selectFrom('entities')
    .select(['kind', 'version_id'])
    .where('id', '=', entityId)
    .executeTakeFirst()
  const baseId = row?.version_id ?? null
  if (row && baseId !== null) await refoldEntity(tx, dialect, { kind: row.kind, entityId, baseId })
}

/** Clears the folds of entities: they are planned again at the next read or write. */
export async function forgetFolds(tx: Tx, entityIds: readonly number[]): Promise<void> {
  if (entityIds.length === 0) return
  await tx.updateTable('entities').set({ fold_id: null }).where('id', 'in', entityIds).execute()
}

/** Deletes the folds of entities that are about to be removed. */
export async function removeFoldsOf(tx: Tx, entityIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('folds')
    .where('version_id', 'in', (query) => query.selectFrom('versions').select('id').where('entity_id', 'in', entityIds))
    .execute()
}

/** Deletes the folds of versions that are about to be removed. */
export async function removeFolds(tx: Tx, versionIds: readonly number[]): Promise<void> {
  if (versionIds.length > 0) await tx.deleteFrom('folds').where('version_id', 'in', versionIds).execute()
}
