import { createHash } from 'node:crypto'
import { VitaeError, type Answer, type ProfileOptions, type RateLimit, type VitaeClient } from '@vitae/client'
import type { Company, Kind, Person } from '@vitae/contract'
import { readAsked } from './identifier-of.ts'
import type { Pacer } from './pacer.ts'

/** The result of one row. */
export interface Looked {
  status: 'found' | 'not_found' | 'failed'
  error: string | null
  source: string | null
  fetched_at: string | null
  credits: number
  /** Of a match: its likelihood, and the signals that agreed. */
  likelihood: number | null
  matched_on: string | null
  /** This job has already paid for the answer, in an earlier row or before a crash. */
  replayed: boolean
  record: Person | Company | null
}

/** A failure that affects all further rows. The job stops, and can be resumed once the cause is fixed. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  /** The user's next step before a resume, if known. */
  readonly first: string | null

  constructor(message: string, first: string | null = null) {
    super(message)
    this.first = first
  }
}

interface Deps {
  client: VitaeClient
  pacer: Pacer
  kind: Kind
  job: string
  options: Omit<ProfileOptions, 'fields'>
  /** Ends the wait for the rate limit. */
  stop: AbortSignal
  /** Aborts calls in progress. */
  abort: AbortSignal
}

/** Error codes that mean "not found", which is a free answer. */
export const notFound: ReadonlySet<string> = new Set([
  'not_found',
  'no_match',
  'ambiguous_match',
  'identity_mismatch',
  'required_fields_missing',
])
const endsTheJob = new Set<number | null>([401, 402, 403, 429])

/** Looks up one identifier within the rate limit. Its idempotency key belongs to the job, so a repeat after a crash is free. */
export async function lookUp(deps: Deps, id: string): Promise<Looked> {
  const turn = await deps.pacer.start(deps.stop)
  let rate: RateLimit | null = null
  try {
    const answer = await call(deps, id)
    rate = answer.rateLimit
    return found(answer)
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    rate = error.rateLimit
    return unfound(error)
  } finally {
    deps.pacer.end(turn, rate)
  }
}

type Answered = Answer<Person | Company> & { likelihood?: number | null; matchedOn?: string[] }

function call({ client, kind, job, options, abort }: Deps, id: string): Promise<Answered> {
  const idempotencyKey = `enrich-${job}-${createHash('sha256').update(`${kind} ${id}`).digest('base64url')}`
  const asked = { ...options, idempotencyKey, signal: abort }
  const held = readAsked(id)
  if (typeof held !== 'string')
    return kind === 'people' ? client.people.match(held, asked) : client.companies.match(held, asked)
  return kind === 'people' ? client.people.profile(id, asked) : client.companies.details(id, asked)
}

function found(answer: Answered): Looked {
  const { record, source, fetchedAt, credits, replayed, likelihood = null, matchedOn } = answer
  return {
    status: 'found',
    error: null,
    source,
    fetched_at: fetchedAt.toISOString(),
    credits: credits.charged ?? 0,
    likelihood,
    matched_on: matchedOn?.join(',') ?? null,
    replayed,
    record,
  }
}

/** Turns a failure into a row, or stops the job if it affects all rows. */
function unfound(error: VitaeError): Looked {
  const { code, detail, status, retryAfterSeconds } = error
  if (notFound.has(code)) return unlooked('not_found', code === 'not_found' ? null : code)
  if (code === 'aborted') throw error
  // The client has already retried. Without a service no row can be looked up, so no single row failed.
  if (code === 'connection_failed' || endsTheJob.has(status)) {
    const wait = retryAfterSeconds === null ? '' : `, wait ${retryAfterSeconds} s`
    throw new JobStopped(`${code}: ${detail}${wait}`)
  }
  return unlooked('failed', code === 'invalid_request' ? reasonOf(error) : code)
}

function reasonOf({ code, detail, errors }: VitaeError): string {
  return `${code}: ${errors.map((error) => error.detail).join('; ') || detail}`
}

/** A row without a record. */
export function unlooked(status: 'not_found' | 'failed', error: string | null): Looked {
  const unmatched = { likelihood: null, matched_on: null }
  return { status, error, source: null, fetched_at: null, credits: 0, ...unmatched, replayed: false, record: null }
}
