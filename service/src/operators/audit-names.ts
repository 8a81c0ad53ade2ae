import type { AdminAnswer } from '@vitae/contract/admin'
import { kinds, type Kind } from '@vitae/contract'
import type { AuditItem } from '../audit/audit-operations.ts'
import { Failure } from '../foundation/failure.ts'
import type { Facts } from '../foundation/schema/encode.ts'
import type { OperatorDeps } from './deps.ts'
import { refOf } from './find-record.ts'

/** Everything under which the log may name a record; 404 where the store has none. */
export async function subjectsOf(deps: OperatorDeps, wanted: Kind | undefined, text: string): Promise<string[]> {
  for (const kind of wanted ? [wanted] : kinds) {
    const ref = refIn(deps, kind, text)
    const entity = ref && (await deps.store.showEntity({ kind, ref }))
    if (entity) return deps.store.auditSubjects(entity)
  }
  throw new Failure('not_found', { detail: `Nothing is stored under ${text}.` })
}

/** What a text means among one kind; null where it cannot mean anything there. */
function refIn(deps: OperatorDeps, kind: Kind, text: string) {
  try {
    return refOf(deps, kind, text)
  } catch {
    return null
  }
}

/** The entries with the names by which people know tokens and records. The log itself holds none, so an erasure is whole. */
export async function withNames(
  deps: OperatorDeps,
  items: readonly AuditItem[],
): Promise<Facts<AdminAnswer<'listAudit'>['entries']>> {
  const ids = items.flatMap(({ subject }) => entityIdOf(subject) ?? [])
  const records = new Map(
    (await deps.store.entityNames({ ids: [...new Set(ids)] })).map((found) => [found.entityId, found]),
  )
  const names = await actorNames(
    deps,
    items.map(({ actor }) => actor),
  )
  return items.map((item) => {
    const found = records.get(entityIdOf(item.subject) ?? -1)
    const record = found ? { kind: found.kind, key: found.key, name: found.name } : null
    return { ...item, actor_name: names.get(item.actor) ?? null, record }
  })
}

function entityIdOf(subject: string | null): number | null {
  const id = /^(?:people|companies)\/(\d{1,15})$/.exec(subject ?? '')?.[1]
  return id === undefined ? null : Number(id)
}

/** The labels of the tokens among these actors: the names by which people know them. The logs themselves hold none. */
export async function actorNames(
  { store }: Pick<OperatorDeps, 'store'>,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (!actors.some((actor) => actor.startsWith('token:'))) return new Map()
  const tokens = await store.listTokens({ limit: null, after: null })
  return new Map(tokens.map(({ id, label }) => [`token:${id}`, label]))
}
