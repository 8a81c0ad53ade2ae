import { hash } from 'node:crypto'
import type { FailureCode, Kind } from '@vitae/contract'
import type { Identifier, MatchInput } from '../../foundation/identifier.ts'

/** The result of a match with a test key: a simulated failure, or always the same fictional record. */
type Sample = { failure: FailureCode } | { identifier: Identifier; likelihood: number; matchedOn: readonly string[] }

const situations = new Map<string, FailureCode>([
  ['sample-not-found', 'no_match'],
  ['sample-ambiguous', 'ambiguous_match'],
  ['sample-mismatch', 'identity_mismatch'],
])

interface Question {
  kind: Kind
  input: MatchInput
  named: Identifier | null
}

/**
 * The sample for a question. `sample-...@example.com` and `sample-....example` simulate the failure that their first
 * part names.
 */
export function sampleOf(question: Question): Sample {
  const sample = guessOf(question)
  const isLikely = 'failure' in sample || sample.likelihood >= question.input.minLikelihood
  return isLikely ? sample : { failure: 'no_match' }
}

function guessOf({ kind, input, named }: Question): Sample {
  if (named) return { identifier: named, likelihood: 1, matchedOn: [kind === 'people' ? 'profile_id' : 'company_id'] }
  const { email, phone, domain } = input
  const reserved = /^(sample-[a-z-]+)(?:@example\.com$|\.)/.exec(email ?? domain ?? '')?.[1]
  const situation = reserved && situations.get(reserved)
  if (situation) return { failure: situation }
  const value =
    reserved ??
    `matched-${hash('sha256', JSON.stringify([email, phone, input.name, input.company, domain])).slice(0, 12)}`
  const identifier: Identifier = { kind, type: 'slug', value }
  if (email) return { identifier, likelihood: 0.95, matchedOn: ['email'] }
  if (phone) return { identifier, likelihood: 0.9, matchedOn: ['phone'] }
  if (kind === 'companies')
    return { identifier, likelihood: domain ? 0.9 : 0.8, matchedOn: [domain ? 'domain' : 'name'] }
  return input.company_domain
    ? { identifier, likelihood: 0.85, matchedOn: ['name', 'company_domain'] }
    : { identifier, likelihood: 0.8, matchedOn: ['name', 'company'] }
}
