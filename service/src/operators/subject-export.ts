import type { AdminAnswer } from '@vitae/contract/admin'
import type { Facts } from '../foundation/schema/encode.ts'
import type { exportSubjectWithCalls } from '../lifecycle/store/erasure/export-subject.ts'
import { readRecord } from './record-view.ts'

type Held = NonNullable<Awaited<ReturnType<typeof exportSubjectWithCalls>>>

/** Formats all data about a subject for people and programs outside the service. */
export function subjectExport(held: Held, now: number): Facts<AdminAnswer<'exportPerson'>> {
  return {
    exportedAt: now,
    ...held,
    firstStoredAt: held.createdAt,
    lastUsedAt: held.usedAt,
    versions: held.versions.map((version) => ({
      ...version,
      id: version.versionId,
      record: readRecord(version.body),
    })),
    sources: held.fetches.map((fetch) => ({ ...fetch, payload: fetch.payload && readable(fetch.payload) })),
    receivedBy: receivers(held.calls),
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

function receivers(calls: Held['calls']) {
  const answered = calls.filter((call) => call.status === 200)
  const groups = Map.groupBy(answered, ({ project, environment }) => JSON.stringify([project, environment]))
  return [...groups.values()].flatMap((group) => {
    const times = group.map((call) => call.at).toSorted((a, b) => a - b)
    const [first] = group
    if (!first) return []
    const { project, environment } = first
    const [firstAt, lastAt] = [times.at(0) ?? first.at, times.at(-1) ?? first.at]
    return [{ project, environment, calls: group.length, firstAt, lastAt }]
  })
}
