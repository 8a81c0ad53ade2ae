import type { RecordStore, EntityStore } from '../../records/operations.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '@vitae/contract'
import type { Clock } from '../../foundation/clock.ts'
import { unitStates, unsaidText } from '../../records/filling/unit-states.ts'
import { Failure } from '../../foundation/failure.ts'
import { hasMoreValues } from '../../foundation/schema/count-values.ts'
import { ownImport } from '../../foundation/environments/route.ts'
import { companyPagesIn } from '../../records/rows/company-pages.ts'
import { searchTexts } from '../../records/rows/search-texts.ts'
import { derivedKeysOf, suppressionHashes } from '../../records/suppression/suppression-hash.ts'
import { serialiseRecord, isThin } from '../../records/body/record-bytes.ts'
import { instant, type Projection, withStoredCompanyIds } from '@vitae/provider'
import { findProjector, projectorNames, projectPayload, type Projector } from '../../providers/find-projector.ts'
import { contactNamesIn } from '../../records/contact-index/contact-rows.ts'

/** Parsing this many values takes about 10 ms. */
const valuesOfLine = 20_000
/** The clocks of two machines may differ by this much. */
const skewMs = 300_000

type ImportItem = Parameters<EntityStore['importRecords']>[0]['items'][number]

interface Deps {
  clock: Clock
  secret: string
  store: {
    records: Pick<RecordStore, 'findCompanyKeys'>
    entities: Pick<EntityStore, 'importRecords'>
  }
}

export interface ImportAsk {
  /** Null: the keys of each line, in our own shape, show what it is. */
  kind: Kind | null
  /** The provider of the payloads; null for records in our own shape. */
  provider: string | null
  /** When the data was fetched, for lines that do not state it. */
  fetchedAt: number | null
  /** The dotted field of each line that contains that time; null if absent. */
  fetchedAtField: string | null
  lines: readonly string[]
}

export interface ImportReport {
  saved: number
  /** Older than the served version: they were added to the history. */
  older: number
  suppressed: number
  unchanged: number
  /** Lines are counted from 1. */
  errors: { line: number; reason: string }[]
  /** Fields that could not be read and were left out of an accepted record. */
  unread: { line: number; field: string }[]
}

/** Imports lines of a dataset through the same projectors as fetched payloads. A bad line is reported and skipped. */
export async function importRecords(deps: Deps, ask: ImportAsk): Promise<ImportReport> {
  const projector = projectorOf(ask.provider)
  const now = deps.clock.now()
  if (ask.fetchedAt !== null && ask.fetchedAt > now + skewMs) throw refused('must not be in the future')
  const report: ImportReport = { saved: 0, older: 0, suppressed: 0, unchanged: 0, errors: [], unread: [] }
  const mapped: MappedLine[] = []
  for (const [index, line] of ask.lines.entries()) {
    if (line.trim() === '') continue
    // Yields to the event loop between lines, so that calls are answered.
    await nextTurn()
    const read = readLine(projector, ask, now, line)
    if ('reason' in read) report.errors.push({ line: index + 1, reason: read.reason })
    else mapped.push(read)
    const unread = 'projection' in read ? (read.projection.unread ?? []) : []
    report.unread.push(...unread.map((field) => ({ line: index + 1, field })))
  }
  const records = await withStoredCompanyIds(
    deps.store.records,
    mapped.map(({ projection }) => projection.record),
  )
  const items: ImportItem[] = []
  for (const [index, one] of mapped.entries()) {
    await nextTurn()
    items.push(importItem(deps.secret, projector, one, records[index] ?? one.projection.record))
  }
  const results = items.length > 0 ? await deps.store.entities.importRecords({ items, at: now }) : []
  for (const result of results) report[result]++
  return report
}

function projectorOf(provider: string | null): Projector {
  const projector = findProjector(provider ?? ownImport)
  if (projector) return projector
  const detail = `must be one of ${projectorNames().join(', ')}`
  throw new Failure('invalid_request', { detail: `provider ${detail}.`, errors: [{ parameter: 'provider', detail }] })
}

interface MappedLine {
  kind: Kind
  payload: Uint8Array
  projection: Projection
  fetchedAt: number
}

function readLine(projector: Projector, ask: ImportAsk, now: number, line: string): MappedLine | { reason: string } {
  if (hasMoreValues(Buffer.from(line), valuesOfLine)) return { reason: `it has more than ${valuesOfLine} values` }
  const kind = ask.kind ?? kindOf(line)
  if (!kind) return { reason: 'it does not show whether it is a person or a company: set its kind' }
  const payload = Buffer.from(line)
  const projected = projectPayload(projector, kind, payload)
  if ('reason' in projected) return projected
  const fetchedAt = ageOf(ask, line, projected.projection.sourceUpdatedAt, now)
  if (fetchedAt === null) return { reason: `its ${ask.fetchedAtField} contains no past time` }
  return { kind, payload, ...projected, fetchedAt }
}

function importItem(
  secret: string,
  projector: Projector,
  { kind, payload, fetchedAt, projection: { identity, sourceUpdatedAt, unsaid } }: MappedLine,
  record: Projection['record'],
): ImportItem {
  const { body, parts } = serialiseRecord(kind, record)
  return {
    kind,
    provider: projector.name,
    projection: projector.projectionVersion,
    payload,
    identity,
    body,
    parts: JSON.stringify(parts),
    thin: isThin(record),
    sourceUpdatedAt,
    unsaid: unsaidText(unsaid),
    fetchedAt,
    units: unitStates(kind, record, { supplies: projector.supplies[kind], notSaid: unsaid ?? [] }),
    texts: searchTexts(record),
    pages: companyPagesIn(record),
    contacts: contactNamesIn(secret, record),
    suppressionHashes: suppressionHashes(secret, kind, identity, null),
    derivedKeys: derivedKeysOf(secret, kind, identity),
  }
}

/**
 * When the data of a line was fetched: its own field, else the operator's value, else the payload's own date. An
 * unknown age is refused, because the record would count as fetched now. Null for an unreadable field.
 */
function ageOf(ask: ImportAsk, line: string, sourceUpdatedAt: number | null, now: number): number | null {
  const pastOrNull = (at: number | null) => (at !== null && at <= now + skewMs ? Math.min(at, now) : null)
  const inField = ask.fetchedAtField === null ? undefined : valueAt(JSON.parse(line), ask.fetchedAtField)
  if (inField !== undefined && inField !== null) {
    return pastOrNull(instant(inField))
  }
  const known = ask.fetchedAt ?? pastOrNull(sourceUpdatedAt)
  if (known !== null) return Math.min(known, now)
  throw refused(
    'is needed, because the lines do not say when their data was fetched: give the time (--fetched-at 2026-01-31), or name the field that holds it (--fetched-at-field)',
  )
}

function valueAt(value: unknown, path: string): unknown {
  const step = (node: unknown, key: string): unknown =>
    typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined
  return path.split('.').reduce(step, value)
}

function refused(detail: string): Failure {
  const parameter = 'fetched_at'
  return new Failure('invalid_request', { detail: `${parameter} ${detail}.`, errors: [{ parameter, detail }] })
}

/** The kind of a record in our own shape: only people have a `member_urn`, only companies a `company_name`. */
function kindOf(line: string): Kind | null {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record !== 'object' || record === null) return null
    if ('member_urn' in record || 'first_name' in record) return 'people'
    return 'company_id' in record || 'company_name' in record ? 'companies' : null
  } catch {
    return null
  }
}
