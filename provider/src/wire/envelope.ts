import { object } from '../mapping/text.ts'

/**
 * The record inside `{status, likelihood, data}` or a collector's `{success, data, status_code}`. A body without an
 * envelope is the record itself.
 */
export function insideEnvelope(body: Record<string, unknown>): Record<string, unknown> {
  const isEnvelope = ['success', 'status_code', 'status', 'likelihood'].some((key) => key in body)
  const record = object(body.data)
  return isEnvelope && Object.keys(record).length > 0 ? record : body
}

/** The objects in a list. Skips null and "", which providers send in place of items. */
export function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(object).filter((row) => Object.keys(row).length > 0) : []
}
