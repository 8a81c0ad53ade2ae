import type { WebhookFormat } from './webhook.ts'

/** A sent event, or a test event. */
export interface SentEvent {
  id: string
  type: string
  at: string
  project: string | null
  environment: string | null
  data: unknown
}

const changesShown = 5
const longest = 2_900

/** The body of a delivery: the event itself, or a message for Slack and compatible incoming webhooks. */
export function eventBody(format: WebhookFormat, { id, type, at, project, environment, data }: SentEvent): string {
  if (format === 'slack') return JSON.stringify({ text: slackText({ id, type, at, project, environment, data }) })
  // `timestamp` is its name in Standard Webhooks.
  return JSON.stringify({ id, type, at, timestamp: at, project, environment, data })
}

function slackText({ type, project, environment, data }: SentEvent): string {
  const where = project === null ? '' : ` in ${escaped([project, environment].filter(Boolean).join('/'))}`
  const facts = isObject(data) ? factLines(data) : []
  return [`*${type}*${where}`, ...facts].join('\n').slice(0, longest)
}

function factLines(data: Record<string, unknown>): string[] {
  const { changes, from: _from, to: _to, ...facts } = data
  const plain = Object.entries(facts).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${shown(value)}`)
  if (!Array.isArray(changes)) return plain
  const lines = changes
    .filter(isObject)
    .map(({ path, before, after }) => `• ${shown(path)}: ${shown(before)} → ${shown(after)}`)
  const more = lines.length > changesShown ? [`and ${lines.length - changesShown} more`] : []
  return [...plain, ...lines.slice(0, changesShown), ...more]
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
  return escaped(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

/** Escapes Slack's three special characters, so that nothing in a record becomes a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
