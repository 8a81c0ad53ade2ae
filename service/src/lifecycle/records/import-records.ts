import type { Kind } from '@vitae/contract'
import type { Clock } from '../../foundation/clock.ts'
import type { Store } from '../../database/store.ts'
import { Failure } from '../../foundation/failure.ts'
import { isThin } from '../../records/body/is-thin.ts'
import type { RecordOperations } from '../../records/operations.ts'
import { recordName } from '../../records/entities/record-name.ts'
import { suppressionHashes } from '../../records/suppression/suppression-hash.ts'
import { serialiseRecord } from '../../records/body/record-bytes.ts'
import {
  findProjector,
  ownImport,
  projectorNames,
  projectPayload,
  type Projector,
} from '../../providers/contract-shape/find-projector.ts'
import { withStoredCompanyIds } from '../../providers/mapping/company-ids.ts'
import type { Projection } from '../../providers/provider.ts'

type ImportItem = Parameters<Store<RecordOperations>['importRecords']>[0]['items'][number]

interface Deps {
  clock: Clock
  secret: string
  store: Pick<Store<RecordOperations>, 'findCompanyKeys' | 'importRecords'>
}

export interface ImportAsk {
  /** Null: each line in our own shape tells by its keys what it is. */
  kind: Kind | null
  /** Whose payloads the lines are; null for records in our own shape. */
  provider: string | null
  lines: readonly string[]
}

export interface ImportReport {
  saved: number
  suppressed: number
  unchanged: number
  /** Lines are counted from 1. */
  errors: { line: number; reason: string }[]
}

/** Loads lines of a dataset through the same projectors as fetched payloads. A bad line is reported and skipped. */
export async function importRecords(deps: Deps, { kind, provider, lines }: ImportAsk): Promise<ImportReport> {
  const projector = projectorOf(provider)
  const report: ImportReport = { saved: 0, suppressed: 0, unchanged: 0, errors: [] }
  const mapped: MappedLine[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const read = readLine(projector, kind, line)
    if ('reason' in read) report.errors.push({ line: index + 1, reason: read.reason })
    else mapped.push(read)
  }
  const records = await withStoredCompanyIds(
    deps.store,
    mapped.map(({ projection }) => projection.record),
  )
  const items = mapped.map((one, index) =>
    importItem(deps.secret, projector, one, records[index] ?? one.projection.record),
  )
  const results = items.length > 0 ? await deps.store.importRecords({ items, at: deps.clock.now() }) : []
  for (const result of results) report[result]++
  return report
}

function projectorOf(provider: string | null): Projector {
  const projector = findProjector(provider ?? ownImport)
  if (projector) return projector
  const detail = `must be one of ${projectorNames.join(', ')}`
  throw new Failure('invalid_request', { detail: `provider ${detail}.`, errors: [{ parameter: 'provider', detail }] })
}

interface MappedLine {
  kind: Kind
  payload: Uint8Array
  projection: Projection
}

function readLine(projector: Projector, asked: Kind | null, line: string): MappedLine | { reason: string } {
  const kind = asked ?? kindOf(line)
  if (!kind) return { reason: 'it does not tell whether it is a person or a company: say which with its kind' }
  const payload = Buffer.from(line)
  const projected = projectPayload(projector, kind, payload)
  return 'reason' in projected ? projected : { kind, payload, ...projected }
}

function importItem(
  secret: string,
  projector: Projector,
  { kind, payload, projection: { identity, sourceUpdatedAt } }: MappedLine,
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
    name: recordName(record),
    suppressionHashes: suppressionHashes(secret, kind, identity, null),
  }
}

/** What a record in our own shape is about: only people have a `member_urn`, only companies a `company_name`. */
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
