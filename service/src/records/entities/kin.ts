import type { Dialect, Tx } from '../../database/engine/dialect.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { nameIn, type RecordName } from '../names/record-names.ts'
import type { Kin, Newcomer } from './choose-entity.ts'
import { recordInBody } from '../rows/search-texts.ts'
import { splitsOf } from '../rows/split-marks.ts'

export type LockedKin = Kin & { versionId: number | null }

/** `foldedName` is the name in the form that the search stores. */
export type NamedNewcomer = Newcomer & { foldedName: string | null }

/** The number of versions whose names are read: a renamed entity is still found by its earlier names. */
const namedVersions = 12

/**
 * The entities with the given ids and everything that the choice between them needs, locked until the transaction ends.
 */
export async function lockKin(
  tx: Tx,
  dialect: Dialect,
  ids: readonly number[],
  newcomer: NamedNewcomer,
): Promise<LockedKin[]> {
  const rows = await tx
    .selectFrom('entities')
    .select(['id', 'key', 'derived', 'version_id', 'name'])
    .where('id', 'in', ids)
    .orderBy('id')
    .$call((query) => dialect.lock(query))
    .execute()
  const aliases = await tx
    .selectFrom('aliases')
    .select(['entity_id', 'type', 'value'])
    .where('entity_id', 'in', ids)
    .execute()
  const kin = rows.map((row) => ({
    id: row.id,
    key: row.key,
    derived: row.derived === 1,
    versionId: row.version_id,
    aliases: aliases.filter((name) => name.entity_id === row.id).map(({ type, value }) => ({ type, value })),
  }))
  const isNamed = (id: number) =>
    rows.some((row) => row.id === id && row.name !== null && row.name === newcomer.foldedName)
  // Most records belong to one entity that already has exactly this name.
  if (kin.length === 1 && kin.every((one) => sharesAlias(newcomer, one) && isNamed(one.id))) return kin
  const former = await formerSlugs(tx, ids)
  const marks = await splitsOf(tx, ids)
  const described: LockedKin[] = []
  for (const one of kin) {
    const stored = rows.find((row) => row.id === one.id)?.name ?? null
    const names = isNamed(one.id) ? (newcomer.names ?? []) : await namesOfEntity(tx, one.id, stored)
    described.push({ ...one, names, formerSlugs: former.get(one.id) ?? [], apartFrom: marks.get(one.id) ?? [] })
  }
  return described
}

function sharesAlias({ aliases }: Newcomer, one: Pick<Kin, 'aliases'>): boolean {
  return one.aliases.some((held) => aliases.some(({ type, value }) => held.type === type && held.value === value))
}

/** The names in the newest versions of an entity; the search's name if no version states one. */
async function namesOfEntity(tx: Tx, entityId: number, stored: string | null): Promise<RecordName[]> {
  const rows = await tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.body', 'entities.kind'])
    .where('versions.entity_id', '=', entityId)
    .orderBy('versions.id', 'desc')
    .limit(namedVersions)
    .execute()
  const names = rows.flatMap(({ body }) => nameIn(recordInBody(body)) ?? [])
  if (names.length > 0 || stored === null) return names
  return [rows[0]?.kind === 'companies' ? { name: stored, site: null } : { first: null, last: stored }]
}

async function formerSlugs(tx: Tx, ids: readonly number[]): Promise<Map<number, Alias[]>> {
  const rows = await tx
    .selectFrom('former_aliases')
    .select(['entity_id', 'type', 'value'])
    .where('entity_id', 'in', ids)
    .where('type', '=', 'slug')
    .execute()
  return new Map([...Map.groupBy(rows, (row) => row.entity_id)])
}
