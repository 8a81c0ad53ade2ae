import type { AdminAnswer } from '@vitae/contract/admin'

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ddd;padding:.3rem .6rem;text-align:left;vertical-align:top}
pre{background:#f6f6f6;padding:1rem;overflow:auto;white-space:pre-wrap}summary{cursor:pointer;padding:.3rem 0}`

/** The export as a page that its subject can read, without scripts and external resources. */
export function subjectPage(subject: AdminAnswer<'exportPerson'>): string {
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

/** Escapes text for HTML. */
function safe(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
