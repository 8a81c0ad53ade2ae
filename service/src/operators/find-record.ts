import { kinds, type Kind } from '@vitae/contract'
import type { Identifier } from '../foundation/identifier.ts'
import { Failure } from '../foundation/failure.ts'
import type { Ref } from '../records/identifiers/find-ref.ts'
import type { EntityDetails } from '../records/entities/show-entity.ts'
import type { Admin, OperatorDeps } from './deps.ts'
import { parseIdentifier, parseRef } from '../records/identifiers/parse-identifier.ts'

/** Parses an operator's input as an identifier or a key of a record. */
export function refOf(deps: OperatorDeps, kind: Kind, text: string): Ref {
  return parseRef(kind, text, deps.platformHosts)
}

/** Finds the entity of an operator's input, or fails with 404. */
export async function findRecord(deps: OperatorDeps, kind: Kind, text: string): Promise<EntityDetails> {
  const entity = await deps.store.entities.showEntity({ kind, ref: refOf(deps, kind, text) })
  if (entity) return entity
  throw new Failure('not_found', { detail: `Nothing is stored under ${text} among the ${kind}.` })
}

/** Returns an identifier that providers understand: for a key of ours, the record's own slug or number. */
export async function fetchable(deps: OperatorDeps, kind: Kind, text: string) {
  const { identifier } = refOf(deps, kind, text)
  if (identifier) return identifier
  const { aliases } = await findRecord(deps, kind, text)
  for (const type of ['slug', 'id', 'opaque'] as const) {
    const alias = aliases.find((one) => one.type === type)
    if (alias) return { kind, type, value: alias.value }
  }
  throw new Failure('conflict', { detail: 'The record has no identifier that a provider could look up.' })
}

/**
 * Records in the audit log that an operator read something. Entities are named only by row number, because the log
 * outlives an erasure and must not name the erased.
 */
export async function noteAccess(
  deps: OperatorDeps,
  admin: Admin,
  action: string,
  subject: { kind: Kind; entityId: number } | string | null,
  after?: unknown,
): Promise<void> {
  await deps.store.audit.recordAudit({
    at: deps.clock.now(),
    actor: admin.actor,
    action,
    subject: subject && typeof subject === 'object' ? `${subject.kind}/${subject.entityId}` : subject,
    ...(after === undefined ? {} : { after }),
  })
}

/** Parses a text as an identifier of each kind, such as a URL. */
export function identifiersIn(deps: OperatorDeps, text: string): Identifier[] {
  return kinds.flatMap((kind) => {
    try {
      return [parseIdentifier(kind, text.trim(), deps.platformHosts)]
    } catch {
      return []
    }
  })
}
