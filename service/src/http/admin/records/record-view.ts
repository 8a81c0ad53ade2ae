import { FilledUnit, type Company, type Kind, type Person } from '@vitae/contract'
import Type, { type Static } from 'typebox'
import type { VersionSummary } from '../../../records/versions/history.ts'
import type { EntityDetails, FetchSummary } from '../../../records/entities/show-entity.ts'
import { filledUnit } from '../../../records/filling/plan-fills.ts'
import { Count, KindName, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { everyField } from '../../../providers/contract-shape/every-field.ts'
import { findProjector } from '../../../providers/contract-shape/find-projector.ts'

/** What is stored is what was served, so its shape is the contract's. */
export const anyRecord = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The record in full, as the public API describes it.',
})

export const RecordSummary = Type.Object({
  kind: KindName,
  key: Type.String({ description: 'member_urn or company_id.' }),
  derived: Type.Boolean({ description: 'The provider knows no durable id, so the key is ours.' }),
  name: orNull(Type.String()),
  slug: orNull(Type.String()),
  provider: orNull(Type.String()),
  fetched_at: orNull(Time),
  thin: Type.Boolean(),
  versions: Count,
})

export const Version = Type.Object({
  id: Type.Integer(),
  fetched_at: Time,
  provider: Type.String(),
  projection: Type.Integer(),
  thin: Type.Boolean(),
  source_updated_at: orNull(Time),
  fetch_id: orNull(Type.Integer()),
  current: Type.Boolean({ description: 'The one that is served.' }),
})

const Fetch = Type.Object({
  id: Type.Integer(),
  provider: Type.String(),
  at: Time,
  status: orNull(Type.Integer()),
  outcome: Type.String(),
  cost: orNull(Type.Number({ description: 'In the provider’s own credits.' })),
  duration_ms: orNull(Type.Number()),
  has_payload: Type.Boolean(),
  redacted: Type.Boolean({ description: 'Someone else who was erased has been taken out of it.' }),
})

export const RecordView = Type.Object({
  kind: KindName,
  key: Type.String(),
  derived: Type.Boolean(),
  name: orNull(Type.String()),
  aliases: Type.Array(
    Type.Object({
      type: Type.String({ description: 'slug, id, urn, opaque, member, or the name of a provider.' }),
      value: Type.String(),
      withdrawn: Type.Boolean({ description: 'The provider has since denied it, so nothing is served under it.' }),
    }),
  ),
  provider: orNull(Type.String()),
  fetched_at: orNull(Time),
  source_updated_at: orNull(Time),
  age_seconds: orNull(Type.Integer()),
  thin: Type.Boolean(),
  projection: orNull(Type.Integer()),
  record: orNull(anyRecord),
  supplied: Type.Record(Type.String(), Type.Enum(['supplied', 'not_supplied']), {
    description: 'Per field, whether its provider can fill it: tells "not supplied" from "empty on the profile".',
  }),
  filled: Type.Array(FilledUnit, {
    description: 'The units of the record that come from other fetches than the rest.',
  }),
  versions: Count,
  suspect_names: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names in its versions that contradict each other: it may be two subjects, and can be split.',
    }),
  ),
  fetches: Type.Array(Fetch, { description: 'The upstream calls about it, newest first, at most 50.' }),
})

/** A version as operators see it. */
export function versionView(version: VersionSummary): Static<typeof Version> {
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

function fetchView(fetch: FetchSummary): Static<typeof Fetch> {
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
  }
}

/** Everything an operator sees of one record. */
export function recordView(
  entity: EntityDetails,
  versions: readonly VersionSummary[],
  now: number,
): Static<typeof RecordView> {
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
