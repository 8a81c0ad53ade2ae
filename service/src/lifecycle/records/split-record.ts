import type { EntityStore } from '../../records/operations.ts'
import type { Kind } from '@vitae/contract'
import type { Clock } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import { findProjector, projectPayload } from '../../providers/find-projector.ts'
import { recordIn } from '../../records/body/rewrite-record.ts'
import { contactNamesIn } from '../../records/contact-index/contact-rows.ts'
import type { Ref } from '../../records/identifiers/find-ref.ts'
import type { VersionFacts } from '../../records/splits/divide-split.ts'
import type { SplitDone, StoredVersion } from '../../records/splits/split-entity.ts'

interface Deps {
  clock: Clock
  secret: string
  store: { entities: Pick<EntityStore, 'splitMaterial' | 'splitEntity'> }
  recordsChanged(): Promise<void>
}

interface SplitAsk {
  kind: Kind
  ref: Ref
  fetchIds: number[]
  reason: string | null
  actor: string
}

/**
 * Splits an entity into two subjects, based on their archived payloads. Afterwards no cached copy of either is served.
 */
export async function splitRecord(deps: Deps, { kind, ref, fetchIds, reason, actor }: SplitAsk): Promise<SplitDone> {
  const material = await deps.store.entities.splitMaterial({ kind, ref })
  if (!material) throw new Failure('not_found', { detail: 'Nothing is stored under this id.' })
  const known = new Set(material.versions.map(({ fetchId }) => fetchId))
  const foreign = fetchIds.filter((id) => !known.has(id))
  if (foreign.length > 0) {
    const detail = `has fetches that belong to no version of this record: ${foreign.join(', ')}`
    throw new Failure('invalid_request', { detail: `fetches ${detail}.`, errors: [{ parameter: 'fetches', detail }] })
  }
  const facts = material.versions.map((version) => factsOf(deps.secret, kind, version))
  const { entityId } = material
  const at = deps.clock.now()
  const done = await deps.store.entities.splitEntity({ kind, entityId, fetchIds, facts, reason, actor, at })
  await deps.recordsChanged()
  if (done) return done
  const detail = 'must leave at least one version for each of the two records'
  throw new Failure('invalid_request', { detail: `fetches ${detail}.`, errors: [{ parameter: 'fetches', detail }] })
}

function factsOf(secret: string, kind: Kind, version: StoredVersion): VersionFacts {
  const { versionId, fetchId, fetchedAt, asked, provider, payload, body } = version
  const stored = recordIn(body)
  const common = { versionId, fetchId, fetchedAt, asked, contacts: contactNamesIn(secret, stored) }
  const projector = findProjector(provider)
  const projected = projector && payload ? projectPayload(projector, kind, payload) : null
  if (projected && 'projection' in projected) {
    const { record, identity } = projected.projection
    return { ...common, identity, entityUrn: 'entity_urn' in record ? record.entity_urn : null }
  }
  // Without its payload, a version states only its slug.
  const { public_identifier: slug } = stored
  const aliases = slug ? [{ type: 'slug', value: slug }] : []
  return { ...common, identity: { key: '', derived: true, aliases }, entityUrn: null }
}
