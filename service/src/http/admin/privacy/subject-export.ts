import Type, { type Static } from 'typebox'
import type { exportSubjectWithCalls } from '../../../lifecycle/erasure/export-subject.ts'
import { anyRecord, readRecord } from '../records/record-view.ts'
import { Count, KindName, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

export const SubjectExport = Type.Object({
  exported_at: Time,
  kind: KindName,
  key: Type.String(),
  derived: Type.Boolean(),
  first_stored_at: Time,
  last_used_at: orNull(Time),
  aliases: Type.Array(Type.Object({ type: Type.String(), value: Type.String(), seen_at: Time })),
  former_aliases: Type.Array(Type.Object({ type: Type.String(), value: Type.String(), until: Time })),
  versions: Type.Array(
    Type.Object({
      id: Type.Integer(),
      provider: Type.String(),
      fetched_at: Time,
      source_updated_at: orNull(Time),
      thin: Type.Boolean(),
      record: anyRecord,
    }),
  ),
  sources: Type.Array(
    Type.Object({
      fetch_id: Type.Integer(),
      provider: Type.String(),
      at: Time,
      outcome: Type.String(),
      redacted: Type.Boolean(),
      payload: Type.Unknown({ description: 'As it came where it is JSON, else base64; null once it is not kept.' }),
    }),
  ),
  received_by: Type.Array(
    Type.Object({ project: Type.String(), environment: Type.String(), calls: Count, first_at: Time, last_at: Time }),
  ),
  calls: Type.Array(
    Type.Object({
      request_id: Type.String(),
      at: Time,
      project: Type.String(),
      environment: Type.String(),
      status: Type.Integer(),
      source: orNull(Type.String()),
      version_id: orNull(Type.Integer()),
    }),
  ),
})
export type SubjectExport = Static<typeof SubjectExport>

type Held = NonNullable<Awaited<ReturnType<typeof exportSubjectWithCalls>>>

/** What is held, in a form that people and programs outside can read. */
export function subjectView(held: Held, now: number): SubjectExport {
  return {
    exported_at: isoTime(now),
    kind: held.kind,
    key: held.key,
    derived: held.derived,
    first_stored_at: isoTime(held.createdAt),
    last_used_at: isoTime(held.usedAt),
    aliases: held.aliases.map(({ type, value, seenAt }) => ({ type, value, seen_at: isoTime(seenAt) })),
    former_aliases: held.formerAliases.map(({ type, value, until }) => ({ type, value, until: isoTime(until) })),
    versions: held.versions.map((version) => ({
      id: version.versionId,
      provider: version.provider,
      fetched_at: isoTime(version.fetchedAt),
      source_updated_at: isoTime(version.sourceUpdatedAt),
      thin: version.thin,
      record: readRecord(version.body),
    })),
    sources: held.fetches.map((fetch) => ({
      fetch_id: fetch.fetchId,
      provider: fetch.provider,
      at: isoTime(fetch.at),
      outcome: fetch.outcome,
      redacted: fetch.redacted,
      payload: fetch.payload && readable(fetch.payload),
    })),
    received_by: receivers(held.calls),
    calls: held.calls.map(({ requestId, at, versionId, ...call }) => ({
      request_id: requestId,
      at: isoTime(at),
      ...call,
      version_id: versionId,
    })),
  }
}

function readable(payload: Uint8Array): unknown {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return bytes.toString('base64')
  }
}

function receivers(calls: Held['calls']): SubjectExport['received_by'] {
  const answered = calls.filter((call) => call.status === 200)
  const groups = Map.groupBy(answered, ({ project, environment }) => JSON.stringify([project, environment]))
  return [...groups.values()].flatMap((group) => {
    const times = group.map((call) => call.at).toSorted((a, b) => a - b)
    const [first] = group
    if (!first) return []
    const { project, environment } = first
    const [firstAt, lastAt] = [isoTime(times.at(0) ?? first.at), isoTime(times.at(-1) ?? first.at)]
    return [{ project, environment, calls: group.length, first_at: firstAt, last_at: lastAt }]
  })
}
