import {
  object,
  parseObject,
  parsePayload,
  ProviderFault,
  type RawAnswer,
  retryAfterSeconds,
  text,
  throwFaultOf,
  throwIfWebPage,
  type Verdict,
} from '@vitae/provider'

export const name = 'brightdata'

type Row = Record<string, unknown>

/** The rows of a body: a list, one record, or one record per line, which is Bright Data's default. */
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

/** The first row that is a record. Without one, throws with Bright Data's reason. */
export function firstRecord(body: Uint8Array): Row {
  const all = rows(body)
  const record = all.find((row) => errorOf(row) === null)
  if (record) return record
  const code = text(all[0]?.error_code)
  const message = `${name} payload contains no record`
  // The code comes from the provider, so it stays in the message and is not stored with the call.
  throw new ProviderFault('invalid', `${message}${code && /^\w+$/.test(code) ? ` (${code})` : ''}`, { reason: message })
}

/**
 * Decides whether a finished answer contains a record. For a page that does not exist, Bright Data returns 200 with an
 * error row or with no row.
 */
export function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) return checkMissing(answer)
  const all = rows(answer.body, answer)
  if (all.some((row) => errorOf(row) === null && isRecord(row))) return { outcome: 'found', answer, cost: null }
  const errors = all.flatMap((row) => errorOf(row) ?? [])
  if (all.length === 0 || errors.some(isNotFound)) return { outcome: 'not_found', answer, cost: null }
  const isOurs = errors.length === 0 || errors.some((error) => /input|validation/i.test(error))
  throw new ProviderFault(isOurs ? 'invalid' : 'unavailable', `${name} sent no record`, { answer })
}

/** A 404 may also be about the data set or the snapshot; then it says nothing about the page. */
function checkMissing(answer: RawAnswer): Verdict {
  throwIfWebPage(name, answer)
  if (/data ?set|snapshot|collector/i.test(new TextDecoder().decode(answer.body))) {
    throw new ProviderFault('invalid', `${name} knows no such data set or snapshot`, { answer })
  }
  return { outcome: 'not_found', answer, cost: null }
}

/** Whether an answer only says that a snapshot is being created. */
export function isPending(answer: RawAnswer): boolean {
  if (answer.status === 202) return true
  if (answer.status !== 200 || answer.body.length > 2000) return false
  const [only = {}, ...others] = rows(answer.body, answer)
  const isUnderWay = /^(starting|building|collecting|running)$/.test(text(only.status) ?? '')
  return others.length === 0 && !isRecord(only) && (isUnderWay || text(only.snapshot_id) !== null)
}

/** The id of the snapshot that a 202 announces. */
export function snapshotIdOf(answer: RawAnswer): string {
  const id = text(parseObject(name, answer.body, answer).snapshot_id)
  if (id === null) throw new ProviderFault('invalid', `${name} named no snapshot`, { answer })
  return id
}

/** Whether a snapshot is ready. Throws if it will never be ready. */
export function isReady(answer: RawAnswer): boolean {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) throw new ProviderFault('invalid', `${name} lost the snapshot`, { answer })
  const status = text(parseObject(name, answer.body, answer).status)
  if (status === 'failed' || status === 'cancelled' || status === 'canceled') {
    throw new ProviderFault('unavailable', `${name} could not read the page`, { answer })
  }
  return status === 'ready'
}

/** How long to wait before the next request, in milliseconds. */
export function waitMsOf(answer: RawAnswer): number {
  return (retryAfterSeconds(answer) ?? 5) * 1000
}

/** The error of a row; null for a record. */
function errorOf(row: Row): string | null {
  const parts = [row.error_code, row.error, isRecord(row) ? null : row.warning_code].flatMap((part) => text(part) ?? [])
  return parts.length > 0 ? parts.join(' ') : null
}

function isRecord(row: Row): boolean {
  return [row.id, row.linkedin_id, row.linkedin_num_id, row.company_id, row.name].some((known) => text(known) !== null)
}

function isNotFound(error: string): boolean {
  return /dead[ _]page|not[ _]?found|\b404\b|4xx|does(n't| not) exist|private|not public/i.test(error)
}
