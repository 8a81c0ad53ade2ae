import { parseMoney, type ParsedMoney } from '../mapping/money.ts'

/** An amount from a source that counts in dollars and seldom says so; a currency that is written wins. */
export function dollars(amount: unknown): ParsedMoney | null {
  const money = parseMoney(amount)
  return money && { amount: money.amount, currency: money.currency ?? 'usd' }
}
