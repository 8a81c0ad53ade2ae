import type { AdminAnswer, Version } from '@vitae/contract/admin'
import type { Company, Kind, Person } from '@vitae/contract'
import type { VersionSummary } from '../records/versions/history.ts'
import type { EntityDetails, FetchSummary } from '../records/entities/show-entity.ts'
import { filledUnit } from '../records/filling/plan-fills.ts'
import type { Facts } from '../foundation/schema/encode.ts'
import { everyField } from '../providers/contract-shape/every-field.ts'
import { findProjector } from '../providers/find-projector.ts'

/** A version as operators see it. */
export function versionView(version: VersionSummary): Facts<Version> {
  return { ...version, id: version.versionId }
}

function fetchView(fetch: FetchSummary) {
  return { ...fetch, id: fetch.fetchId, hasPayload: fetch.payloadHash !== null }
}

/** One record as operators see it. */
export function recordView(
  entity: EntityDetails,
  versions: readonly VersionSummary[],
  now: number,
): Facts<AdminAnswer<'showPersonRecord'>> {
  const { kind, current } = entity
  const record = current && readRecord(current.body)
  return {
    ...entity,
    name: (record && nameOf(kind, record)) ?? entity.name,
    provider: current && current.provider,
    fetchedAt: current && current.fetchedAt,
    sourceUpdatedAt: current && current.sourceUpdatedAt,
    ageSeconds: current && Math.max(0, Math.floor((now - current.fetchedAt) / 1_000)),
    thin: current?.thin ?? false,
    projection: versions.find((version) => version.current)?.projection ?? null,
    record,
    supplied: current ? suppliedFields(kind, current.provider) : {},
    filled: (current?.fold?.fills ?? []).map(filledUnit),
    versions: versions.length,
    fetches: entity.fetches.map(fetchView),
  }
}

/** Parses the bytes of a stored record. */
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

/**
 * Tells for each field whether the provider can fill it. A field that it cannot fill is "not supplied", unlike one that
 * is empty on the profile.
 */
export function suppliedFields(kind: Kind, provider: string): Record<string, Supplied> {
  const supplies = findProjector(provider)?.supplies[kind] ?? everyField[kind]
  const fields = [...everyField[kind]].map((path) => {
    return [path, isSupplied(supplies, path) ? 'supplied' : 'not_supplied'] as const
  })
  return Object.fromEntries(fields)
}

/** A part counts as supplied if any field in it is. If the provider names only the part, all its fields are. */
function isSupplied(supplies: ReadonlySet<string>, path: string): boolean {
  if (supplies.has(path) || hasFieldsOf(supplies, path)) return true
  const part = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return part !== '' && !hasFieldsOf(supplies, part) && isSupplied(supplies, part)
}

function hasFieldsOf(supplies: ReadonlySet<string>, part: string): boolean {
  for (const path of supplies) if (path.startsWith(`${part}.`)) return true
  return false
}
