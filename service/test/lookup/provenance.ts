import { expect } from 'vitest'
import type { TestAnswer } from '../harness/test-service.ts'

interface Provenance {
  source: 'live' | 'store' | 'stale_fallback'
  ageSeconds: number
}

/** A 200 names the source of its record, and its age is the time since the fetch, within a second. */
export function expectRecord(answer: TestAnswer, now: number, { source, ageSeconds }: Provenance): void {
  const { headers } = answer
  expect({
    status: answer.status,
    source: headers.get('x-data-source'),
    age: headers.get('x-data-age-seconds'),
    text: answer.status === 200 ? '' : answer.text,
  }).toEqual({ status: 200, source, age: String(ageSeconds), text: '' })
  expect(headers.get('x-fetched-at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  const since = (now - Date.parse(headers.get('x-fetched-at') ?? '')) / 1_000
  expect(Math.abs(since - ageSeconds)).toBeLessThan(1)
}

/** A failure in the problem format, free of charge, that reveals nothing about the record. */
export function expectProblem(answer: TestAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json['code'] ?? answer.text }).toEqual({ status, code })
  expect(answer.headers.get('x-credits-charged')).toBeNull()
  expect(answer.headers.get('x-data-source')).toBeNull()
  if (status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}
