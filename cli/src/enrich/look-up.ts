import { createHash } from 'node:crypto'
import { VitaeError, type Answer, type ProfileOptions, type RateLimit, type VitaeClient } from '@vitae/client'
import type { Company, Kind, Person } from '@vitae/contract'
import type { Pacer } from './pacer.ts'

/** What became of one row. */
export interface Looked {
  status: 'found' | 'not_found' | 'failed'
  error: string | null
  source: string | null
  fetched_at: string | null
  credits: number
  record: Person | Company | null
}

/** A failure that every further row would meet too: the job stops and can be resumed when it is mended. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
}

interface Needs {
  client: VitaeClient
  pacer: Pacer
  kind: Kind
  job: string
  options: ProfileOptions
  signal: AbortSignal
}

const endsTheJob = new Set([401, 402, 403])

/** Looks one identifier up, paced, and under an idempotency key of the job's own: a repeat after a crash costs nothing. */
export async function lookUp(needs: Needs, id: string): Promise<Looked> {
  if (id.trim() === '') return nothing('failed', 'the column is empty')
  await needs.pacer.start(needs.signal)
  let rate: RateLimit | null = null
  try {
    const answer = await call(needs, id)
    rate = answer.rateLimit
    return found(answer)
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    rate = error.rateLimit
    if (error.code === 'not_found') return nothing('not_found', null)
    if (error.status !== null && endsTheJob.has(error.status)) throw new JobStopped(`${error.code}: ${error.detail}`)
    if (error.code === 'aborted') throw error
    return nothing('failed', error.code === 'invalid_request' ? `${error.code}: ${error.detail}` : error.code)
  } finally {
    needs.pacer.end(rate)
  }
}

function call({ client, kind, job, options, signal }: Needs, id: string): Promise<Answer<Person | Company>> {
  const idempotencyKey = `enrich-${job}-${createHash('sha256').update(`${kind} ${id}`).digest('base64url')}`
  const asked = { ...options, idempotencyKey, signal }
  return kind === 'people' ? client.people.profile(id, asked) : client.companies.details(id, asked)
}

function found({ record, source, fetchedAt, credits }: Answer<Person | Company>): Looked {
  return {
    status: 'found',
    error: null,
    source,
    fetched_at: fetchedAt.toISOString(),
    credits: credits.charged ?? 0,
    record,
  }
}

function nothing(status: 'not_found' | 'failed', error: string | null): Looked {
  return { status, error, source: null, fetched_at: null, credits: 0, record: null }
}
