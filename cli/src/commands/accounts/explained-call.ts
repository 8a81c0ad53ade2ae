import type { AdminAnswer, ExplainedCall } from '@vitae/contract/admin'
import { card, table } from '../../terminal/output.ts'

/** Formats a call for people: the request, its result, then the reasons. */
export function explainedCall(call: ExplainedCall, receipt: Pick<AdminAnswer<'showReceipt'>, 'price_lines'>): string {
  const { key, identifier, identifier_type: type, freshness, settlement, timings_ms: timings } = call
  const { outcome, held, charged } = settlement
  const facts = card({
    request: call.request_id,
    at: call.at,
    caller: `${call.project}/${call.environment}, ${call.mode} key ${key.label ?? key.display} (${key.id})`,
    'asked for': identifier === null ? `${call.kind}, identifier not kept` : `${call.kind} ${type} ${identifier}`,
    record: call.entity_key,
    suppressed: call.suppressed === true ? 'suppressed, so the answer is that of an unknown record' : null,
    answer: [call.status, call.code, call.source].filter((part) => part !== null).join(' '),
    reason: call.reason,
    'replay of': call.replay_of,
    freshness: freshness && `${freshness.decision}: ${freshness.reason}`,
    cause: call.cause,
    'fetched by': call.fetched_by,
    cost: providersCost(call),
    credits: `${outcome}; held ${held}, charged ${charged}`,
    price: priceText(receipt),
    time: Object.entries(timings)
      .flatMap(([step, ms]) => (ms === null ? [] : `${step} ${ms} ms`))
      .join(', '),
  })
  if (call.attempts.length === 0) return facts
  return `${facts}\n\n${table(call.attempts, ['provider', 'outcome', 'status', 'cause', 'cost', 'duration_ms'], '')}`
}

/** The price lines of a receipt in words; null without a price. */
export function priceText({ price_lines: lines }: Pick<AdminAnswer<'showReceipt'>, 'price_lines'>): string | null {
  return lines.map(({ line, credits }) => `${line}, ${credits} credits`).join('; ') || null
}

/** The possible total cost of the call's providers; null if none has a price. */
function providersCost({ attempts, currency }: ExplainedCall): string | null {
  const costs = attempts.flatMap(({ cost }) => cost ?? [])
  const sum = Math.round(costs.reduce((all, cost) => all + cost, 0) * 1e6) / 1e6
  return costs.length === 0 ? null : `${sum} ${currency}`
}
