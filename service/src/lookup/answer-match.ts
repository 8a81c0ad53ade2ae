import type { Kind } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { Failure } from '../foundation/failure.ts'
import { identifierKey, type Identifier, type MatchInput } from '../foundation/identifier.ts'
import { type ContactCandidate, contactNamesOf } from '../records/contact-index/contact-rows.ts'
import { siteDomain } from '../records/identifiers/site-domain.ts'
import { matchFacts } from '@vitae/provider'
import { answerLookup } from './answer-lookup.ts'
import { answerSample } from './answer-sample.ts'
import { sampleOf, impliedBy } from './match-input.ts'
import type { LookupDeps } from './payment/deps.ts'
import type { Lookup, LookupAnswer } from './asked/lookup.ts'
import { accepted, askLedger, callOf, stepOf } from './payment/pay.ts'
import { preflight, preflightFor, refusal, type Preflight } from './preflight.ts'
import { recallRecord, companyIn, withSites } from './recall/recall-record.ts'
import { companiesOfSite } from './resolve-company.ts'
import { lacksOf } from './recall/demands.ts'
import { ambiguousMatch } from './fetch/learned-names.ts'

/** A question by what a caller knows about a person or company, such as an email address or a name. */
export interface MatchAsk {
  kind: Kind
  input: MatchInput
  /** An employer that the caller names by its id. */
  employer?: Identifier | null
  /** A profile or company id. If it is set, all other facts are expectations of its record. */
  named: Identifier | null
  /** Everything else about the call. */
  options: Omit<Lookup, 'identifier' | 'name' | 'expect' | 'matched' | 'pricedAs'>
}

export interface MatchAnswer extends LookupAnswer {
  likelihood: number | null
  matchedOn: readonly string[]
}

/** Two candidates whose likelihoods differ by less than this count as equal. */
const tooClose = 0.05

/**
 * Finds the record that a match means: through the store's own index, or else through the providers. The record is
 * charged like any lookup; a 404 is free.
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

/** Adds the name and the domain of an employer given by id, if its record is stored. */
export async function withEmployer(deps: LookupDeps, { route }: Caller, ask: MatchAsk): Promise<MatchAsk> {
  const { employer, input } = ask
  if (!employer) return ask
  const { record } = await recallRecord(deps, { identifier: employer, name: identifierKey(employer) }, route)
  const { own, facts } = record ? companyIn(record.body) : { own: null, facts: { name: null } }
  const known = { ...(facts.name ? { company: facts.name } : {}), ...(own ? { company_domain: own.domain } : {}) }
  return { ...ask, input: { ...known, ...input, company_id: employer.value } }
}

/** Predicts the outcome and cost of a match. It is free and asks no provider. */
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

/** The match as a lookup. Until a record is found, its identifier is a keyed hash of the whole question. */
export function lookupOf(deps: Pick<LookupDeps, 'secret'>, { kind, input, named, options }: MatchAsk): Lookup {
  const { value } = contactNamesOf(deps.secret, kind, input).match
  const whole: Identifier = { kind, type: 'match', value, match: input }
  const identifier = named ?? whole
  const expect = impliedBy(kind, input)
  // The threshold is part of a retry's fingerprint, but not of the key that finds the record.
  const matched = named ? {} : { matched: { type: whole.type, value: `${value} ${input.minLikelihood}` } }
  return { ...options, identifier, name: identifierKey(identifier), expect, pricedAs: { by: 'match' }, ...matched }
}

type Facts = Pick<ContactCandidate, 'likelihood' | 'matchedOn'>

/**
 * Points the lookup to the record that the store's index finds. Returns null if it finds none; then the providers are
 * asked.
 */
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

/** The candidates whose record may be served to this caller and does not contradict the question. */
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
  // A site identifies a company, but several companies may share one. Then the name decides.
  const named = [...usable.values()].filter(({ isNamed }) => isNamed)
  return (named.length > 0 ? named : [...usable.values()]).toSorted((a, b) => b.likelihood - a.likelihood)
}

function keyOf(kind: Kind, value: string): Identifier {
  return { kind, type: kind === 'people' ? 'urn' : 'id', value }
}

/** Finds stored companies by their own site, as `GET /v1/companies/resolve` does. */
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
  return deps.store.records.findContacts({ kind, names, secret: deps.secret, seesContact })
}

/**
 * The likelihood of a record that providers found. If another node or an earlier call asked them, it is read from the
 * index.
 */
async function factsOf(deps: LookupDeps, caller: Caller, ask: MatchAsk, answer: LookupAnswer): Promise<Facts | null> {
  if (answer.match) return { ...answer.match, matchedOn: [...answer.match.matchedOn] }
  try {
    const { candidates } = await readIndex(deps, caller, ask)
    return candidates.find(({ entityId }) => entityId === answer.entityId) ?? null
  } catch (error) {
    // The call is already paid for, so it is answered without these facts.
    deps.log.warn(
      { err: error, requestId: ask.options.requestId },
      'could not read the likelihood of a paid match; the answer is sent without it',
    )
    return null
  }
}

/** Whether the call repeats an answered one. The ledger decides first, as for every call that ends without a record. */
async function isRepeated(deps: LookupDeps, caller: Caller, lookup: Lookup): Promise<boolean> {
  const call = callOf(deps, caller, lookup)
  const amount = call.book.highest(call.priced)
  const checked = await askLedger(deps, { ...stepOf(call), type: 'check', at: deps.clock.now(), amount })
  return accepted(checked).outcome !== 'settled'
}

/** Unknown, suppressed and too unlikely get the same answer, so that callers cannot tell them apart. */
function asNoMatch(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'not_found') return error
  const { cause } = error.details
  return new Failure('no_match', { detail: 'Nobody matches with enough certainty.', ...(cause ? { cause } : {}) })
}

/** The answer to a match with a test key. */
export function matchSample(deps: LookupDeps, ask: MatchAsk, lookup: Lookup): MatchAnswer {
  const sample = sampleOf(ask)
  if ('failure' in sample) throw new Failure(sample.failure)
  turn(lookup, sample.identifier)
  try {
    // The sample of a named profile is that of its lookup; the other facts are expectations of it.
    const answer = ask.named ? answerSample(deps, lookup) : answerSample(deps, { ...lookup, expect: null }, ask.input)
    return { ...answer, likelihood: sample.likelihood, matchedOn: sample.matchedOn }
  } catch (error) {
    throw asNoMatch(error)
  }
}
