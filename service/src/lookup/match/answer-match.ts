import type { Kind } from '@vitae/contract'
import type { Caller } from '../../accounts/key-cache.ts'
import { Failure } from '../../foundation/failure.ts'
import { identifierKey, type Identifier, type MatchInput } from '../../foundation/identifier.ts'
import { type ContactCandidate, contactNamesOf } from '../../records/contact-index/contact-rows.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { matchFacts } from '@vitae/provider'
import { answerLookup } from '../answer-lookup.ts'
import { answerSample } from '../answer-sample.ts'
import type { LookupDeps } from '../deps.ts'
import type { Lookup, LookupAnswer } from '../lookup.ts'
import { accepted, askLedger, callOf, stepOf } from '../pay.ts'
import { preflight, preflightFor, refusal, type Preflight } from '../preflight.ts'
import { recallRecord } from '../recall-record.ts'
import { companiesOfSite } from './companies-of-site.ts'
import { companyIn } from './company-facts.ts'
import { lacksOf } from './demands.ts'
import { withSites } from './employer-sites.ts'
import { ambiguousMatch } from './learned-names.ts'
import { impliedBy } from './read-input.ts'
import { sampleOf } from './sample-of.ts'

/** A question by what a caller holds of someone. */
export interface MatchAsk {
  kind: Kind
  input: MatchInput
  /** An employer that the caller names by an id. */
  employer?: Identifier | null
  /** A profile or company id: then all the rest is what is expected of its record. */
  named: Identifier | null
  /** Everything else about the call. */
  options: Omit<Lookup, 'identifier' | 'name' | 'expect' | 'matched' | 'pricedAs'>
}

export interface MatchAnswer extends LookupAnswer {
  likelihood: number | null
  matchedOn: readonly string[]
}

/** Two candidates whose likelihoods differ by less are the same to us. */
const tooClose = 0.05

/**
 * From what a caller holds to the record: by the store's own index, or else by the providers that can be asked. The record
 * is then paid for like any lookup, and nothing is charged for a 404.
 */
export async function answerMatch(
  deps: LookupDeps,
  caller: Caller,
  ask: MatchAsk,
  lookup: Lookup,
): Promise<MatchAnswer> {
  if (caller.mode === 'test') return matchSample(deps, ask, lookup)
  lookup.since = deps.fetchOutcomes.mark
  try {
    const target = await aim(deps, caller, ask, lookup)
    if (target === 'ambiguous' && !(await isRepeated(deps, caller, lookup))) throw ambiguousMatch()
    const answer = await answerLookup(deps, caller, lookup)
    const facts = target && target !== 'ambiguous' ? target : await factsOf(deps, caller, ask, answer)
    return { ...answer, likelihood: facts?.likelihood ?? null, matchedOn: facts?.matchedOn ?? [] }
  } catch (error) {
    throw asNoMatch(error)
  }
}

/** The question with the name and the domain of the employer that is given by its id, as far as its record is stored. */
export async function withEmployer(deps: LookupDeps, { route }: Caller, ask: MatchAsk): Promise<MatchAsk> {
  const { employer, input } = ask
  if (!employer) return ask
  const { record } = await recallRecord(deps, { identifier: employer, name: identifierKey(employer) }, route)
  const { own, facts } = record ? companyIn(record.body) : { own: null, facts: { name: null } }
  const known = { ...(facts.name ? { company: facts.name } : {}), ...(own ? { company_domain: own.domain } : {}) }
  return { ...ask, input: { ...known, ...input, company_id: employer.value } }
}

/** What a match would do and cost. Free, and nobody is asked. */
export async function preflightMatch(
  deps: LookupDeps,
  caller: Caller,
  ask: MatchAsk,
  lookup: Lookup,
): Promise<Preflight> {
  if (caller.mode === 'test') {
    const sample = sampleOf(ask)
    if ('failure' in sample) return refusal(sample.failure)
    return preflightFor(deps, caller, {
      ...lookup,
      identifier: sample.identifier,
      name: identifierKey(sample.identifier),
    })
  }
  if ((await aim(deps, caller, ask, lookup)) === 'ambiguous') return refusal('ambiguous_match')
  const expected = await preflight(deps, caller, lookup)
  return expected.refused === 'not_found' ? { ...expected, refused: 'no_match' } : expected
}

/** The call as a lookup, by the keyed hash of the whole question until something better is known. */
export function lookupOf(deps: Pick<LookupDeps, 'secret'>, { kind, input, named, options }: MatchAsk): Lookup {
  const { value } = contactNamesOf(deps.secret, kind, input).match
  const whole: Identifier = { kind, type: 'match', value, match: input }
  const identifier = named ?? whole
  const expect = impliedBy(kind, input)
  // The threshold is part of what a retry repeats, but not of what leads to a record.
  const matched = named ? {} : { matched: { type: whole.type, value: `${value} ${input.minLikelihood}` } }
  return { ...options, identifier, name: identifierKey(identifier), expect, pricedAs: { by: 'match' }, ...matched }
}

type Facts = Pick<ContactCandidate, 'likelihood' | 'matchedOn'>

/** Turns the lookup to the record that the store leads to. Null where it leads nowhere, and the providers are asked. */
async function aim(
  deps: LookupDeps,
  caller: Caller,
  ask: MatchAsk,
  lookup: Lookup,
): Promise<Facts | 'ambiguous' | null> {
  const { kind, input, named } = ask
  if (named) return { likelihood: 1, matchedOn: [kind === 'people' ? 'profile_id' : 'company_id'] }
  const { suppressed, candidates } = await readIndex(deps, caller, ask)
  if (suppressed) {
    turn(lookup, { kind, ...suppressed, match: input })
    return null
  }
  const known = [...candidates, ...(await candidatesOfSite(deps, caller, ask))]
  const likely = known.filter(({ likelihood }) => likelihood >= input.minLikelihood)
  const usable = await usableAmong(deps, caller, lookup, likely)
  const [first, second] = usable
  if (!first) return null
  if (second && first.likelihood - second.likelihood < tooClose) return 'ambiguous'
  turn(lookup, keyOf(kind, first.key))
  return first
}

/** Those whose record may be given out to this caller, and contradicts nothing of the question. */
async function usableAmong(
  deps: LookupDeps,
  { route }: Caller,
  lookup: Lookup,
  candidates: readonly ContactCandidate[],
): Promise<ContactCandidate[]> {
  const usable = new Map<number, ContactCandidate & { isNamed: boolean }>()
  const { company_name } = lookup.expect ?? {}
  for (const candidate of candidates) {
    const identifier = keyOf(lookup.identifier.kind, candidate.key)
    const { record } = await recallRecord(deps, { identifier, name: identifierKey(identifier) }, route)
    const expect = lookup.expect ?? null
    const isMeant = record && lacksOf(await withSites(deps, route, expect, record), { expect }).length === 0
    if (!isMeant || usable.has(record.entityId)) continue
    const isNamed = company_name === undefined || lacksOf(record, { expect: { company_name } }).length === 0
    usable.set(record.entityId, { ...candidate, isNamed })
  }
  // A site decides for a company, but several companies may share one: then the name tells them apart.
  const named = [...usable.values()].filter(({ isNamed }) => isNamed)
  return (named.length > 0 ? named : [...usable.values()]).toSorted((a, b) => b.likelihood - a.likelihood)
}

function keyOf(kind: Kind, value: string): Identifier {
  return { kind, type: kind === 'people' ? 'urn' : 'id', value }
}

/** Stored companies are found by their own site too, as `GET /v1/companies/resolve` finds them. */
async function candidatesOfSite(
  deps: LookupDeps,
  { route }: Caller,
  { kind, input }: MatchAsk,
): Promise<ContactCandidate[]> {
  const site = kind === 'companies' && input.domain ? siteDomain(input.domain) : null
  if (!site) return []
  const { likelihood, matchedOn } = matchFacts({ domain: site.domain })
  const found = await companiesOfSite(deps, route, site)
  return found.map(({ key, record }) => ({ entityId: record.entityId, key, likelihood, matchedOn: [...matchedOn] }))
}

function turn(lookup: Lookup, identifier: Identifier): void {
  lookup.identifier = identifier
  lookup.name = identifierKey(identifier)
}

function readIndex(deps: LookupDeps, caller: Caller, { kind, input }: MatchAsk) {
  const { email, phone, match } = contactNamesOf(deps.secret, kind, input)
  const names = [match, email, phone].flatMap((name) => name ?? [])
  const seesContact = !caller.parts || caller.parts.has('contact')
  return deps.store.findContacts({ kind, names, secret: deps.secret, seesContact })
}

/** How sure the record is that the providers led to. Another node may have asked them, or another call that this one repeats. */
async function factsOf(deps: LookupDeps, caller: Caller, ask: MatchAsk, answer: LookupAnswer): Promise<Facts | null> {
  if (answer.match) return { ...answer.match, matchedOn: [...answer.match.matchedOn] }
  try {
    const { candidates } = await readIndex(deps, caller, ask)
    return candidates.find(({ entityId }) => entityId === answer.entityId) ?? null
  } catch (error) {
    // The call is paid for: it is answered, without the facts.
    deps.log.warn({ err: error, requestId: ask.options.requestId }, 'the certainty of a paid match could not be read')
    return null
  }
}

/** Whether the call was answered before, and is again. Money is judged first, as for every other call that ends without a record. */
async function isRepeated(deps: LookupDeps, caller: Caller, lookup: Lookup): Promise<boolean> {
  const call = callOf(deps, caller, lookup)
  const amount = call.book.highest(call.priced)
  const checked = await askLedger(deps, { ...stepOf(call), type: 'check', at: deps.clock.now(), amount })
  return accepted(checked).outcome !== 'settled'
}

/** Unknown, suppressed and too unlikely are one answer. */
function asNoMatch(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'not_found') return error
  const { cause } = error.details
  return new Failure('no_match', { detail: 'Nobody matches with enough certainty.', ...(cause ? { cause } : {}) })
}

/** What a test key gets for a match. */
export function matchSample(deps: LookupDeps, ask: MatchAsk, lookup: Lookup): MatchAnswer {
  const sample = sampleOf(ask)
  if ('failure' in sample) throw new Failure(sample.failure)
  turn(lookup, sample.identifier)
  try {
    // The sample of a named profile is the one of its lookup, and what else was sent is expected of it.
    const answer = ask.named ? answerSample(deps, lookup) : answerSample(deps, { ...lookup, expect: null }, ask.input)
    return { ...answer, likelihood: sample.likelihood, matchedOn: sample.matchedOn }
  } catch (error) {
    throw asNoMatch(error)
  }
}
