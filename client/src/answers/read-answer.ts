import type { Answer, MatchedAnswer } from './answer.ts'
import {
  type HeaderReader,
  readCount,
  readCredits,
  readFilledFrom,
  readIgnoredParameters,
  readRateLimit,
  readTime,
} from './answer-headers.ts'
import type { DataSource } from '../contract.generated.ts'
import { parseObject } from './parse-object.ts'

const sources: readonly string[] = ['live', 'store', 'stale_fallback'] satisfies DataSource[]

/**
 * A 200 as an answer, or null if it does not come from Vitae. A record without provenance cannot be trusted, and a
 * proxy's page must never pass for a record.
 */
export function readAnswer<Found>(headers: HeaderReader, body: string): Answer<Found> | null {
  const record = parseObject(body)
  const source = headers.get('x-data-source')
  const fetchedAt = readTime(headers, 'x-fetched-at')
  const ageSeconds = readCount(headers, 'x-data-age-seconds')
  if (!record || !source || !sources.includes(source) || !fetchedAt || ageSeconds === null) return null
  return {
    record: record as Found,
    source: source as DataSource,
    fetchedAt,
    ageSeconds,
    filledFrom: readFilledFrom(headers),
    sourceUpdatedAt: readTime(headers, 'x-source-updated-at'),
    thin: headers.get('x-record-thin') === 'true',
    rateLimit: readRateLimit(headers),
    credits: readCredits(headers),
    requestId: headers.get('x-request-id'),
    ignoredParameters: readIgnoredParameters(headers),
    replayed: headers.get('idempotent-replayed') === 'true',
  }
}

/** The answer of a match. */
export function readMatched<Found>(headers: HeaderReader, body: string): MatchedAnswer<Found> | null {
  const answer = readAnswer<Found>(headers, body)
  const likelihood = headers.get('x-match-likelihood')
  const matchedOn = headers.get('x-matched-on')?.split(', ') ?? []
  return answer && { ...answer, likelihood: likelihood === null ? null : Number(likelihood), matchedOn }
}
