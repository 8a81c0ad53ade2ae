import type { AdminAnswer } from '@vitae/contract/admin'
import { kinds, type Kind } from '@vitae/contract'
import type { AuditItem } from '../audit/audit-operations.ts'
import { Failure } from '../foundation/failure.ts'
import type { Facts } from '../foundation/schema/encode.ts'
import type { OperatorDeps } from './deps.ts'
import { refOf } from './find-record.ts'

/** All names of a record in the audit log; 404 if the store has no such record. */
export async function subjectsOf(deps: OperatorDeps, wanted: Kind | undefined, text: string): Promise<string[]> {
  for (const kind of wanted ? [wanted] : kinds) {
    const ref = refIn(deps, kind, text)
    const entity = ref && (await deps.store.entities.showEntity({ kind, ref }))
    if (entity) return deps.store.entities.auditSubjects(entity)
  }
  throw new Failure('not_found', { detail: `Nothing is stored under ${text}.` })
}

/** Parses a text as a reference of one kind; null if it is not valid there. */
function refIn(deps: OperatorDeps, kind: Kind, text: string) {
  try {
    return refOf(deps, kind, text)
  } catch {
    return null
  }
}

/** Adds the names of tokens and records to audit entries. The log itself stores no names, so an erasure is complete. */
export async function withNames(
  deps: OperatorDeps,
  items: readonly AuditItem[],
): Promise<Facts<AdminAnswer<'listAudit'>['entries']>> {
  const ids = items.flatMap(({ subject }) => entityIdOf(subject) ?? [])
  const records = new Map(
    (await deps.store.entities.entityNames({ ids: [...new Set(ids)] })).map((found) => [found.entityId, found]),
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

/** The labels of the tokens among these actors. The logs themselves store no labels. */
export async function actorNames(
  { store }: Pick<OperatorDeps, 'store'>,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (!actors.some((actor) => actor.startsWith('token:'))) return new Map()
  const tokens = await store.tokens.listTokens({ limit: null, after: null })
  return new Map(tokens.map(({ id, label }) => [`token:${id}`, label]))
}
