import { createHash } from 'node:crypto'
import { VitaeError, type Answer, type ProfileOptions, type RateLimit, type VitaeClient } from '@vitae/client'
import type { Company, Kind, Person } from '@vitae/contract'
import { readAsked } from './identifier-of.ts'
import type { Pacer } from './pacer.ts'

/** What became of one row. */
export interface Looked {
  status: 'found' | 'not_found' | 'failed'
  error: string | null
  source: string | null
  fetched_at: string | null
  credits: number
  /** Of a match: how sure it is, and what agreed. */
  likelihood: number | null
  matched_on: string | null
  /** The answer was paid for before, by this job: by an earlier row, or by this one before a crash. */
  replayed: boolean
  record: Person | Company | null
}

/** A failure that every further row would meet too: the job stops and can be resumed once it is fixed. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  /** What the user must do before the job can go on, if it is known. */
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
  /** Ends the wait for a turn. */
  stop: AbortSignal
  /** Ends calls under way. */
  abort: AbortSignal
}

/** Nobody, or nobody who is meant: an answer, and free. */
export const notFound: ReadonlySet<string> = new Set([
  'not_found',
  'no_match',
  'ambiguous_match',
  'identity_mismatch',
  'required_fields_missing',
])
const endsTheJob = new Set<number | null>([401, 402, 403, 429])

/** Looks one identifier up, paced, and under an idempotency key of the job's own: a repeat after a crash costs nothing. */
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

/** The row of a failure, unless it is one of the whole job. */
function unfound(error: VitaeError): Looked {
  const { code, detail, status, retryAfterSeconds } = error
  if (notFound.has(code)) return unlooked('not_found', code === 'not_found' ? null : code)
  if (code === 'aborted') throw error
  // The client has retried for long: without a service no row can be looked up, and none is to blame.
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
