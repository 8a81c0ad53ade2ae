import { kinds, type Kind } from '@vitae/contract'
import { Failure } from '../../../foundation/failure.ts'
import type { Identifier } from '../../../foundation/identifier.ts'
import type { Subject } from '../../../lifecycle/erasure/erase-subjects.ts'
import { contactName, normaliseEmail } from '../../../records/contact-index/contact-names.ts'
import type { Ref } from '../../../records/identifiers/find-ref.ts'
import type { AppDeps } from '../../deps.ts'
import { refOf } from '../records/find-record.ts'

/** Whom the ids of a list mean. A list with one that means nobody is refused whole, and each of them is named. */
export async function readSubjects(deps: AppDeps, kind: Kind | undefined, ids: readonly string[]): Promise<Subject[]> {
  const subjects: Subject[] = []
  const errors: { parameter: string; detail: string }[] = []
  for (const [index, id] of ids.entries()) {
    try {
      subjects.push(await readSubject(deps, kind, id))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ parameter: `ids/${index}`, detail: error.message })
    }
  }
  if (errors.length === 0) return subjects
  const [first] = errors
  throw new Failure('invalid_request', {
    detail: `Nothing was changed. ${first?.parameter}: ${first?.detail}`,
    errors,
  })
}

async function readSubject(deps: AppDeps, given: Kind | undefined, id: string): Promise<Subject> {
  if (id.includes('@') && !/[/:]/.test(id)) return { kind: 'people', ref: refByAddress(deps, id) }
  const kind = given ?? kindByForm(id)
  if (kind) return { kind, ref: refOf(deps, kind, id) }
  const known: Subject[] = []
  for (const one of kinds) {
    const ref = refAmong(deps, one, id)
    if (ref && (await deps.store.showEntity({ kind: one, ref }))) known.push({ kind: one, ref })
  }
  const [only, other] = known
  if (only && !other) return only
  const detail = other ? 'It is a person and a company' : 'Nothing is stored under it'
  throw new Failure('invalid_request', { detail: `${detail}: say with the kind which is meant.` })
}

/** Addresses and urns of people and companies differ. */
function kindByForm(id: string): Kind | null {
  if (/^urn:(li:member|vitae:person):/.test(id) || /\/in\//i.test(id)) return 'people'
  return /\/(company|school|showcase)\//i.test(id) ? 'companies' : null
}

/** An id may have no meaning for one of the kinds. */
function refAmong(deps: AppDeps, kind: Kind, id: string): Ref | null {
  try {
    return refOf(deps, kind, id)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** An e-mail address leads to the people whom a record or a match gave it to; only its keyed hash is known. */
function refByAddress(deps: AppDeps, text: string): Ref {
  const email = normaliseEmail(text)
  if (email === null) throw new Failure('invalid_request', { detail: 'It is no e-mail address.' })
  const { type, value } = contactName(deps.lookup.secret, 'people', 'email', email)
  // A name like any other to an erasure: it is kept out even if nothing is stored under it.
  return { identifier: { kind: 'people', type, value } as unknown as Identifier }
}
