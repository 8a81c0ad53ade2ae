import { Failure } from '../../foundation/failure.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { type LearnedNames, type ContactName, contactNamesOf } from '../../records/contact-index/contact-rows.ts'
import { demandsIn, type FetchNeed } from './fetch-required.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import { lacksOf } from '../recall/demands.ts'

/**
 * The contact names under which a fetched record will be found from now on; null if the match was not sure enough or
 * the record is a stranger's. An email address counts only if it was the address that agreed.
 */
export function learnedFrom(
  secret: string,
  need: FetchNeed,
  record: { match: ReadyRecord['match'] | undefined; body: Uint8Array },
): LearnedNames | null {
  const { kind, match: input } = need.identifier
  const { match, body } = record
  if (!input || !match) return null
  const demands = { ...demandsIn(need), require: null }
  if (lacksOf({ body: Buffer.from(body), match }, demands).length > 0) return null
  const { email, phone, match: whole } = contactNamesOf(secret, kind, input)
  const agreed = [match.matchedOn.includes('email') && email, match.matchedOn.includes('phone') && phone]
  return { names: [whole, ...agreed.flatMap((name) => name || [])], ...match }
}

/** The hashed contact names of a match, so that a question asked before a suppression is not answered after it. */
export function askedNames(secret: string, { kind, match }: Identifier): ContactName[] {
  if (!match) return []
  const { email, phone, match: whole } = contactNamesOf(secret, kind, match)
  return [whole, email, phone].flatMap((name) => name ?? [])
}

/** The failure of a match that fits several records equally well. It costs nothing. */
export function ambiguousMatch(): Failure {
  return new Failure('ambiguous_match', {
    detail: 'Several records fit equally well. Send more details about the one you mean.',
  })
}
