import { createHash } from 'node:crypto'
import type { DataSource, Kind, OperatorStatement, StatementLine } from '@vitae/contract'
import { decimalOf, millionthsOf } from '../../foundation/money.ts'
import type { PriceLists } from '../prices/price-book.ts'
import { readNote, receiptLines } from '../prices/price-note.ts'

/** Calls with the same charge. */
export interface ChargedCalls {
  /** The price note; null for calls from before notes existed. */
  price: string | null
  kind: Kind
  source: DataSource
  tag: string | null
  /** Credits charged per call. */
  each: number
  calls: number
}

/** The figures of one environment and month from the ledger, the call log and the receipts. */
export interface StatementFigures {
  opening: number
  granted: number
  lapsed: number
  charged: number
  corrected: number
  /** Charges and captures in the ledger. */
  charges: number
  calls: readonly ChargedCalls[]
  /** In millionths, by provider. */
  costs: readonly { provider: string; amount: number }[]
}

/** A statement without the fields that depend on the time at which it is shown. */
export type StatementBody = Omit<OperatorStatement, 'in_progress' | 'digest' | 'value'>

interface Named {
  project: string
  environment: string | null
  month: string
  currency: string
}

/** Builds the statement of an environment and a month. `books` are the price books that the notes name. */
export function statementOf(
  { project, environment, month, currency }: Named,
  figures: StatementFigures,
  books: ReadonlyMap<number, PriceLists | null>,
): StatementBody {
  const { opening, granted, lapsed, charged, corrected, charges, calls, costs } = figures
  const lines = calls.flatMap((each) => linesOf(each, books))
  const known = calls.reduce((sum, each) => sum + each.calls, 0)
  const credits = calls.reduce((sum, { calls: count, each }) => sum + count * each, 0)
  // Calls that retention removed before this version summed them.
  if (known !== charges || credits !== charged)
    lines.push({ ...nameless, calls: Math.max(0, charges - known), credits: charged - credits })
  return {
    project,
    environment,
    month,
    opening_balance: opening,
    granted,
    lapsed,
    charged,
    corrected,
    closing_balance: opening + granted - lapsed - charged + corrected,
    lines: addUp(lines),
    provider_cost: costOf(
      currency,
      costs.map(({ provider, amount }) => ({ provider, cost: decimalOf(BigInt(amount)) })),
    ),
  }
}

const nameless = { price_line: null, endpoint: null, source: null, spend_tag: null }

/**
 * Splits a charge into its price line and its parts. The line gets the rest, which is 0 if the record was a free
 * repeat.
 */
function linesOf(
  { price, kind, source, tag, each, calls }: ChargedCalls,
  books: ReadonlyMap<number, PriceLists | null>,
): StatementLine[] {
  const named = { endpoint: kind, source, spend_tag: tag, calls }
  const note = readNote(price)
  if (!note) return [{ price_line: null, ...named, credits: each * calls }]
  const [line, ...parts] = receiptLines(note, books.get(note.book) ?? null)
  const extras = parts.reduce((sum, part) => sum + part.credits, 0)
  const nameOf = (text = '') => `book ${note.book}, ${text}`
  return [
    { price_line: nameOf(line?.line), ...named, credits: (each - extras) * calls },
    ...parts.map((part) => ({ price_line: nameOf(part.line), ...named, credits: part.credits * calls })),
  ]
}

function addUp(lines: readonly StatementLine[]): StatementLine[] {
  const sums = new Map<string, StatementLine>()
  for (const line of lines) {
    const { price_line, endpoint, source, spend_tag, calls, credits } = line
    const name = JSON.stringify([price_line, endpoint, source, spend_tag])
    const sum = sums.get(name) ?? { price_line, endpoint, source, spend_tag, calls: 0, credits: 0 }
    sums.set(name, { ...sum, calls: sum.calls + calls, credits: sum.credits + credits })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line)
}

function costOf(
  currency: string,
  costs: readonly { provider: string; cost: string }[],
): StatementBody['provider_cost'] {
  const sums = new Map<string, bigint>()
  for (const { provider, cost } of costs) sums.set(provider, (sums.get(provider) ?? 0n) + millionthsOf(cost))
  const sorted = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    currency,
    total: decimalOf(sorted.reduce((sum, [, amount]) => sum + amount, 0n)),
    by_provider: sorted.map(([provider, amount]) => ({ provider, cost: decimalOf(amount) })),
  }
}

/** The statement of a whole project: the sum of those of its environments. */
export function sumOf(named: Named, parts: readonly StatementBody[]): StatementBody {
  const sum = (read: (part: StatementBody) => number) => parts.reduce((total, part) => total + read(part), 0)
  const { project, environment, month, currency } = named
  return {
    project,
    environment,
    month,
    opening_balance: sum((part) => part.opening_balance),
    granted: sum((part) => part.granted),
    lapsed: sum((part) => part.lapsed),
    charged: sum((part) => part.charged),
    corrected: sum((part) => part.corrected),
    closing_balance: sum((part) => part.closing_balance),
    lines: addUp(parts.flatMap(({ lines }) => lines)),
    provider_cost: costOf(
      parts[0]?.provider_cost.currency ?? currency,
      parts.flatMap(({ provider_cost: cost }) => cost.by_provider),
    ),
  }
}

/**
 * SHA-256 of a statement in a fixed order. Provider costs are left out, so that a caller's copy, which lacks them, has
 * the same digest; the audit log stores them beside it.
 */
export function digestOf(body: StatementBody): string {
  const { provider_cost: _, ...rest } = body
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex')
}
