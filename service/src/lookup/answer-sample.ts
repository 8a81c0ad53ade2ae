import type { Company, DataSource, Kind, Person } from '@vitae/contract'
import { LRUCache } from 'lru-cache'
import { Failure } from '../foundation/failure.ts'
import type { MatchInput } from '../foundation/identifier.ts'
import { sampleAnswer, type SampleFailure, type SampleRecord } from '../samples/sample-answer.ts'
import { cutBody, serialiseRecord, type CutRecord } from '../records/body/record-bytes.ts'
import type { LookupDeps } from './payment/deps.ts'
import { planFreshness } from './asked/freshness.ts'
import type { Filled, Lookup, LookupAnswer } from './asked/lookup.ts'
import { isShown } from './recall/applicable-fills.ts'
import { notStored } from './recall/recall-record.ts'
import { lackFailure, lacksOf } from './recall/demands.ts'

type ReadyRecord = Omit<SampleRecord, 'record'> & CutRecord
type ReadySample = SampleFailure | ReadyRecord
type Deps = Pick<LookupDeps, 'clock' | 'rules'>

// Memory in addition to VITAE_CACHE_MB: enough for a few hundred samples.
const keptBytes = 2 * 1_048_576
const kept = new LRUCache<string, ReadySample>({ maxSize: keptBytes, sizeCalculation: sizeOf })

/** Answers a lookup with a test key: a fictional record or a simulated failure, without store, ledger or provider. */
export function answerSample(deps: Deps, lookup: Lookup, asked?: MatchInput): LookupAnswer {
  const sample = asked ? sampleFor(lookup, asked) : readySample(lookup)
  if ('failure' in sample) {
    const { retryAfterSeconds } = sample
    throw new Failure(sample.failure, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  }
  const source = sourceOf(deps, lookup, sample)
  const filled = source === 'live' ? [] : filledIn(sample, lookup, deps.clock.now())
  const lacks = lacksOf(sample, lookup)
  if (lacks.length > 0) throw lackFailure(lacks)
  return {
    body: cutBody(sample, lookup.include, lookup.fields),
    source,
    fetchedAt: deps.clock.now() - (source === 'live' ? 0 : (sample.copyAgeMs ?? 0)),
    sourceUpdatedAt: null,
    thin: sample.thin,
    entityId: null,
    versionId: null,
    foldId: null,
    ...(filled.length > 0 ? { filled } : {}),
    replay: null,
    credits: null,
  }
}

/** The units of the body that the sample presents as filled by another provider. */
function filledIn({ filled = [] }: ReadyRecord, lookup: Lookup, now: number): Filled[] {
  const shown = filled.filter(({ unit }) => isShown(lookup.identifier.kind, unit, lookup))
  return shown.map(({ unit, provider, ageMs }) => ({ unit, provider, fetchedAt: now - ageMs }))
}

/** Applies the freshness rule of real records, so that callers can practise every freshness parameter. */
function sourceOf({ rules }: Deps, { freshness }: Lookup, { copyAgeMs, isProviderUp }: ReadyRecord): DataSource {
  const plan = planFreshness(freshness, { copyAgeMs, notFoundAgeMs: null, cooling: false }, rules.freshness)
  if (plan.action === 'serve') return plan.source
  if (plan.action === 'fail') throw notStored()
  if (isProviderUp) return 'live'
  if (plan.mayFallBack) return 'stale_fallback'
  throw new Failure('upstream_unavailable', { retryAfterSeconds: 1 })
}

/** Samples never change, so each one is built once and cached. */
function readySample({ identifier, name, page = 'company' }: Lookup): ReadySample {
  const keptName = `${name} ${page}`
  const known = kept.get(keptName)
  if (known) return known
  const sample = sampleAnswer(identifier, page)
  const made = 'failure' in sample ? sample : ready(identifier.kind, sample)
  kept.set(keptName, made)
  return made
}

/** The sample for a match carries the names of the request, so that a test key finds the person it asked for. */
function sampleFor({ identifier, page = 'company' }: Lookup, asked: MatchInput): ReadySample {
  const sample = sampleAnswer(identifier, page)
  if ('failure' in sample) return sample
  const { record } = sample
  const named = 'experience' in record ? personAsAsked(record, asked) : companyAsAsked(record, asked)
  return ready(identifier.kind, { ...sample, record: named })
}

function personAsAsked(person: Person, { first_name: first, last_name: last, company, email }: MatchInput): Person {
  const [job, ...others] = person.experience
  return {
    ...person,
    first_name: first ?? person.first_name,
    last_name: last ?? person.last_name,
    ...(job && company ? { experience: [{ ...job, company_name: company }, ...others] } : {}),
    ...(person.contact_info && email ? { contact_info: { ...person.contact_info, email_address: email } } : {}),
  }
}

function companyAsAsked(company: Company, { name, domain }: MatchInput): Company {
  const url = domain ? `https://${domain}` : company.company_url
  return { ...company, company_name: name ?? company.company_name, company_url: url }
}

function ready(kind: Kind, { record, ...sample }: SampleRecord): ReadyRecord {
  return { ...sample, ...serialiseRecord(kind, record) }
}

function sizeOf(sample: ReadySample): number {
  return 500 + ('body' in sample ? sample.body.byteLength : 0)
}
