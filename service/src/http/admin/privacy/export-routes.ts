import type { AppDeps } from '../../deps.ts'
import type { AdminAnswer, AdminQuery } from '@vitae/contract/admin'
import type { FastifyReply } from 'fastify'
import type { Kind } from '@vitae/contract'
import { Failure } from '../../../foundation/failure.ts'
import { exportSubjectWithCalls } from '../../../lifecycle/erasure/export-subject.ts'
import { noteAccess, refOf } from '../../../operators/find-record.ts'
import { readRecord } from '../records/record-view.ts'
import { isoTime } from '../../../foundation/clock.ts'
import type { AdminCall, AdminHandlers } from '../admin-route.ts'

const exportSubject =
  (kind: Kind) =>
  async (
    { admin, params, query, reply }: AdminCall<{ ref: string }, AdminQuery<'exportPerson'>>,
    deps: AppDeps,
  ): Promise<AdminAnswer<'exportPerson'> | FastifyReply> => {
    await deps.callsWritten()
    const held = await exportSubjectWithCalls(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
    if (!held) throw new Failure('not_found', { detail: `Nothing is stored under ${params.ref} among the ${kind}.` })
    await noteAccess(deps, admin, 'record.export', held)
    const view = subjectView(held, deps.clock.now())
    if (query.format !== 'html') return view
    // The page shows data from outside: nothing in it may run or load.
    reply.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
    return reply.type('text/html; charset=utf-8').send(subjectPage(view))
  }

/** Everything that is held about one person or company, for the answer to an access request. */
export const exportHandlers = {
  exportPerson: exportSubject('people'),
  exportCompany: exportSubject('companies'),
} satisfies Partial<AdminHandlers>

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ddd;padding:.3rem .6rem;text-align:left;vertical-align:top}
pre{background:#f6f6f6;padding:1rem;overflow:auto;white-space:pre-wrap}summary{cursor:pointer;padding:.3rem 0}`

/** The export as a page that the person it is about can read, without scripts and without anything loaded. */
function subjectPage(subject: SubjectExport): string {
  const newest = subject.versions.at(-1)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Data export</title>
<style>${style}</style></head><body>
<h1>What is stored about ${safe(subject.key)}</h1>
<p>Exported ${safe(subject.exported_at)}. First stored ${safe(subject.first_stored_at)}.</p>
<h2>Known under</h2>${table(['type', 'value', 'seen_at'], subject.aliases)}
${subject.former_aliases.length > 0 ? `<h2>Formerly known under</h2>${table(['type', 'value', 'until'], subject.former_aliases)}` : ''}
<h2>The record</h2>${newest ? pre(newest.record) : '<p>None is stored.</p>'}
<h2>Where it came from</h2>${table(['provider', 'at', 'outcome'], subject.sources)}
<h2>Who received it</h2>${subject.received_by.length > 0 ? table(['project', 'environment', 'calls', 'first_at', 'last_at'], subject.received_by) : '<p>Nobody.</p>'}
<h2>Every version</h2>${subject.versions.map((version) => details(`${version.fetched_at}, ${version.provider}`, version.record)).join('')}
<h2>Every answer of a provider, as it came</h2>${subject.sources.map((source) => details(`${source.at}, ${source.provider}`, source.payload)).join('')}
</body></html>
`
}

function table(columns: readonly string[], rows: readonly object[]): string {
  const head = columns.map((column) => `<th>${safe(column.replaceAll('_', ' '))}</th>`).join('')
  const body = rows.map((row) => `<tr>${columns.map((column) => cell(row, column)).join('')}</tr>`).join('')
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
}

function cell(row: object, column: string): string {
  const value = (row as Record<string, unknown>)[column] ?? ''
  return `<td>${safe(typeof value === 'string' ? value : JSON.stringify(value))}</td>`
}

function details(title: string, value: unknown): string {
  return `<details><summary>${safe(title)}</summary>${pre(value)}</details>`
}

function pre(value: unknown): string {
  return `<pre>${safe(JSON.stringify(value, null, 2))}</pre>`
}

/** Text that stays text in HTML. */
function safe(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

type SubjectExport = AdminAnswer<'exportPerson'>

type Held = NonNullable<Awaited<ReturnType<typeof exportSubjectWithCalls>>>

/** What is held, in a form that people and programs outside can read. */
function subjectView(held: Held, now: number): SubjectExport {
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
