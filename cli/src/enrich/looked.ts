import type { BatchResultRow } from '@vitae/client'
import type { Company, Person } from '@vitae/contract'

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
  /** The record, or its chosen fields by path. */
  record: Person | Company | Readonly<Record<string, unknown>> | null
}

/** A row without a record. */
export function unlooked(status: 'not_found' | 'failed', error: string | null): Looked {
  const unmatched = { likelihood: null, matched_on: null }
  return { status, error, source: null, fetched_at: null, credits: 0, ...unmatched, record: null }
}

/** The result of a row of a batch. */
export function lookedOf(row: BatchResultRow): Looked {
  const { status, error, detail, source, fetched_at, credits, likelihood } = row
  if (status === 'not_found') return { ...unlooked('not_found', error === 'not_found' ? null : error), credits }
  if (status !== 'found') return unlooked('failed', detail === null ? error : `${error}: ${detail}`)
  const matched_on = row.matched_on?.join(',') ?? null
  return { status, error, source, fetched_at, credits, likelihood, matched_on, record: row.record as Looked['record'] }
}
