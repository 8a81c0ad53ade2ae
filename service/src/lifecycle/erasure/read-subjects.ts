import type { EntityStore } from '../../records/operations.ts'
import { kinds, type Kind } from '@vitae/contract'
import { Complaints, Failure } from '../../foundation/failure.ts'
import type { Ref } from '../../records/identifiers/find-ref.ts'
import { parseRef } from '../../records/identifiers/parse-identifier.ts'
import { addressRef } from '../store/erasure/plan-erasure.ts'
import type { Subject } from './erase-subjects.ts'

interface Deps {
  secret: string
  platformHosts: readonly string[]
  store: { entities: Pick<EntityStore, 'showEntity'> }
}

/**
 * The subjects of a list of ids. If one id is unusable, the whole list is refused, and every unusable id is reported.
 */
export async function readSubjects(deps: Deps, kind: Kind | undefined, ids: readonly string[]): Promise<Subject[]> {
  const subjects: Subject[] = []
  const complaints = new Complaints()
  for (const [index, id] of ids.entries()) {
    try {
      subjects.push(await readSubject(deps, kind, id))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      complaints.add(`ids/${index}`, error.message)
    }
  }
  complaints.throwAny('Nothing was changed. ')
  return subjects
}

async function readSubject(deps: Deps, given: Kind | undefined, id: string): Promise<Subject> {
  const address = addressRef(deps.secret, id)
  if (address) return { kind: 'people', ref: address }
  const kind = given ?? kindByForm(id)
  if (kind) return { kind, ref: parseRef(kind, id, deps.platformHosts) }
  const known: Subject[] = []
  for (const one of kinds) {
    const ref = refAmong(deps, one, id)
    if (ref && (await deps.store.entities.showEntity({ kind: one, ref }))) known.push({ kind: one, ref })
  }
  const [only, other] = known
  if (only && !other) return only
  const detail = other ? 'It is a person and a company' : 'Nothing is stored under it'
  throw new Failure('invalid_request', { detail: `${detail}: say with the kind which is meant.` })
}

/** The addresses and URNs of people and companies differ. */
function kindByForm(id: string): Kind | null {
  if (/^urn:(li:member|vitae:person):/.test(id) || /\/in\//i.test(id)) return 'people'
  return /\/(company|school|showcase)\//i.test(id) ? 'companies' : null
}

/** An id may have no meaning for one of the kinds. */
function refAmong(deps: Deps, kind: Kind, id: string): Ref | null {
  try {
    return parseRef(kind, id, deps.platformHosts)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
