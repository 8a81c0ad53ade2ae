import { UpstreamFault } from '../chain/provider-fault.ts'
import { parseObject, parsePayload, throwFaultOf, throwIfWebPage } from '../shared/check-answer.ts'
import { object, text } from '../mapping/text.ts'
import type { RawAnswer, Verdict } from '../provider.ts'
import { retryAfterSeconds } from '../transport/retry-after.ts'

export const name = 'brightdata'

type Row = Record<string, unknown>

/** The rows of a body: a list, one record, or one record per line, which is what Bright Data sends by default. */
export function rows(body: Uint8Array, answer?: RawAnswer): Row[] {
  const lines = new TextDecoder()
    .decode(body)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const isOnePerLine =
    lines.length > 1 && lines.every((line) => line.trimStart().startsWith('{') && line.trimEnd().endsWith('}'))
  if (isOnePerLine) return lines.map((line) => parseObject(name, new TextEncoder().encode(line), answer))
  const payload = parsePayload(name, body, answer)
  return Array.isArray(payload) ? payload.map(object) : [object(payload)]
}

/** The first row that is a record. Throws when there is none, with the reason Bright Data gives for it. */
export function firstRecord(body: Uint8Array): Row {
  const all = rows(body)
  const record = all.find((row) => complaintOf(row) === null)
  if (record) return record
  const code = text(all[0]?.error_code)
  throw new UpstreamFault('invalid', `${name} payload holds no record${code && /^\w+$/.test(code) ? ` (${code})` : ''}`)
}

/** Checks a finished answer. A page that does not exist is an error row inside a 200, or no row at all. */
export function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) return checkMissing(answer)
  const all = rows(answer.body, answer)
  if (all.some((row) => complaintOf(row) === null && isRecord(row))) return { outcome: 'found', answer, cost: null }
  const complaints = all.flatMap((row) => complaintOf(row) ?? [])
  if (all.length === 0 || complaints.some(isNotFound)) return { outcome: 'not_found', answer, cost: null }
  const isOurs = complaints.length === 0 || complaints.some((complaint) => /input|validation/i.test(complaint))
  throw new UpstreamFault(isOurs ? 'invalid' : 'unavailable', `${name} brought no record`, { answer })
}

/** A 404 may also be about the data set or the snapshot, and that says nothing of the page. */
function checkMissing(answer: RawAnswer): Verdict {
  throwIfWebPage(name, answer)
  if (/data ?set|snapshot|collector/i.test(new TextDecoder().decode(answer.body))) {
    throw new UpstreamFault('invalid', `${name} knows no such data set or snapshot`, { answer })
  }
  return { outcome: 'not_found', answer, cost: null }
}

/** Whether an answer is only the promise of one: a snapshot is being made. */
export function isPromise(answer: RawAnswer): boolean {
  if (answer.status === 202) return true
  if (answer.status !== 200 || answer.body.length > 2000) return false
  const [only = {}, ...others] = rows(answer.body, answer)
  const isUnderWay = /^(starting|building|collecting|running)$/.test(text(only.status) ?? '')
  return others.length === 0 && !isRecord(only) && (isUnderWay || text(only.snapshot_id) !== null)
}

/** The id of the snapshot that a 202 promises. */
export function snapshotIdOf(answer: RawAnswer): string {
  const id = text(parseObject(name, answer.body, answer).snapshot_id)
  if (id === null) throw new UpstreamFault('invalid', `${name} promised an answer without saying where`, { answer })
  return id
}

/** Whether a snapshot is ready. Throws when it will never be. */
export function isReady(answer: RawAnswer): boolean {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) throw new UpstreamFault('invalid', `${name} lost the snapshot`, { answer })
  const status = text(parseObject(name, answer.body, answer).status)
  if (status === 'failed' || status === 'cancelled' || status === 'canceled') {
    throw new UpstreamFault('unavailable', `${name} could not read the page`, { answer })
  }
  return status === 'ready'
}

/** How long Bright Data wants to be left alone before the next question, in milliseconds. */
export function waitMsOf(answer: RawAnswer): number {
  return (retryAfterSeconds(answer) ?? 5) * 1000
}

/** What a row complains of; null for a record. */
function complaintOf(row: Row): string | null {
  const parts = [row.error_code, row.error, isRecord(row) ? null : row.warning_code].flatMap((part) => text(part) ?? [])
  return parts.length > 0 ? parts.join(' ') : null
}

function isRecord(row: Row): boolean {
  return [row.id, row.linkedin_id, row.linkedin_num_id, row.company_id, row.name].some((known) => text(known) !== null)
}

function isNotFound(complaint: string): boolean {
  return /dead[ _]page|not[ _]?found|\b404\b|4xx|does(n't| not) exist|private|not public/i.test(complaint)
}
