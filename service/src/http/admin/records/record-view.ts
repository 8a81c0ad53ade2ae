import type { AdminAnswer, Version } from '@vitae/contract/admin'
import type { Company, Kind, Person } from '@vitae/contract'
import type { VersionSummary } from '../../../records/versions/history.ts'
import type { EntityDetails, FetchSummary } from '../../../records/entities/show-entity.ts'
import { filledUnit } from '../../../records/filling/plan-fills.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { everyField } from '../../../providers/contract-shape/every-field.ts'
import { findProjector } from '../../../providers/contract-shape/find-projector.ts'

/** A version as operators see it. */
export function versionView(version: VersionSummary): Version {
  return {
    id: version.versionId,
    fetched_at: isoTime(version.fetchedAt),
    provider: version.provider,
    projection: version.projection,
    thin: version.thin,
    source_updated_at: isoTime(version.sourceUpdatedAt),
    fetch_id: version.fetchId,
    current: version.current,
  }
}

function fetchView(fetch: FetchSummary): AdminAnswer<'showPersonRecord'>['fetches'][number] {
  return {
    id: fetch.fetchId,
    provider: fetch.provider,
    at: isoTime(fetch.at),
    status: fetch.status,
    outcome: fetch.outcome,
    cost: fetch.cost,
    duration_ms: fetch.durationMs,
    has_payload: fetch.payloadHash !== null,
    redacted: fetch.redacted,
    removed: fetch.removed,
  }
}

/** Everything an operator sees of one record. */
export function recordView(
  entity: EntityDetails,
  versions: readonly VersionSummary[],
  now: number,
): AdminAnswer<'showPersonRecord'> {
  const { kind, current } = entity
  const record = current && readRecord(current.body)
  return {
    kind,
    key: entity.key,
    derived: entity.derived,
    name: (record && nameOf(kind, record)) ?? entity.name,
    aliases: entity.aliases.map(({ type, value, withdrawn }) => ({ type, value, withdrawn })),
    provider: current && current.provider,
    fetched_at: current && isoTime(current.fetchedAt),
    source_updated_at: isoTime(current && current.sourceUpdatedAt),
    age_seconds: current && Math.max(0, Math.floor((now - current.fetchedAt) / 1_000)),
    thin: current?.thin ?? false,
    projection: versions.find((version) => version.current)?.projection ?? null,
    record,
    supplied: current ? suppliedFields(kind, current.provider) : {},
    filled: (current?.fold?.fills ?? []).map(filledUnit),
    versions: versions.length,
    fetches: entity.fetches.map(fetchView),
  }
}

/** The bytes of a stored record as a value. */
export function readRecord(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Record<string, unknown>
}

const nameFields: Record<Kind, (keyof Person | keyof Company)[]> = {
  people: ['first_name', 'last_name'],
  companies: ['company_name'],
}

function nameOf(kind: Kind, record: Record<string, unknown>): string | null {
  const parts = nameFields[kind].map((field) => record[field]).filter((part) => typeof part === 'string' && part !== '')
  return parts.length > 0 ? parts.join(' ') : null
}

type Supplied = 'supplied' | 'not_supplied'

/** Per field whether its provider can fill it at all: a field it cannot fill is "not supplied", which is not the same as empty on the profile. */
export function suppliedFields(kind: Kind, provider: string): Record<string, Supplied> {
  const supplies = findProjector(provider)?.supplies[kind] ?? everyField[kind]
  const fields = [...everyField[kind]].map((path) => {
    return [path, isSupplied(supplies, path) ? 'supplied' : 'not_supplied'] as const
  })
  return Object.fromEntries(fields)
}

/** A part is supplied with any field in it; and all fields in a part are, where the provider names the part alone. */
function isSupplied(supplies: ReadonlySet<string>, path: string): boolean {
  if (supplies.has(path) || hasFieldsOf(supplies, path)) return true
  const part = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return part !== '' && !hasFieldsOf(supplies, part) && isSupplied(supplies, part)
}

function hasFieldsOf(supplies: ReadonlySet<string>, part: string): boolean {
  for (const path of supplies) if (path.startsWith(`${part}.`)) return true
  return false
}
