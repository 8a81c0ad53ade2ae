import { text } from './text.ts'

export interface ParsedMoney {
  amount: number | null
  currency: string | null
}

const symbols: Record<string, string> = {
  $: 'usd',
  US$: 'usd',
  A$: 'aud',
  AU$: 'aud',
  C$: 'cad',
  CA$: 'cad',
  HK$: 'hkd',
  NZ$: 'nzd',
  S$: 'sgd',
  SG$: 'sgd',
  R$: 'brl',
  MX$: 'mxn',
  NT$: 'twd',
  '€': 'eur',
  '£': 'gbp',
  '¥': 'jpy',
  'JP¥': 'jpy',
  'CN¥': 'cny',
  '₹': 'inr',
  '₩': 'krw',
  '₪': 'ils',
  '₽': 'rub',
  '₺': 'try',
}
const codes = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

const magnitudes: Record<string, number> = {
  '': 0,
  k: 3,
  thousand: 3,
  m: 6,
  mm: 6,
  mn: 6,
  million: 6,
  b: 9,
  bn: 9,
  billion: 9,
  t: 12,
  trillion: 12,
}
const written = /^([^\d\s.,+-]*)\s*(\d[\d,]*)(?:\.(\d+))?(?:\s*([a-z]{1,9}))?\.?\s*([^\d\s]*)$/i

/** An amount in whole units, from `US$ 391.5K`, `100M`, digits or a number; null if the amount is unknown. */
export function parseMoney(amount: unknown, currency?: unknown): ParsedMoney | null {
  const stated = currencyCode(currency)
  if (typeof amount === 'number') return money(Number.isFinite(amount) ? Math.round(amount) : -1, stated)
  const match = written.exec(text(amount) ?? '')
  if (!match) return null
  const [, before, whole = '', fraction = '', word = '', after] = match
  const magnitude = magnitudes[word.toLowerCase()]
  if (magnitude === undefined && currencyCode(word) === null) return null
  const shift = magnitude ?? 0
  // Shifts digits instead of multiplying: in floating point 1.005 * 1000 is not 1005.
  const units = Number(whole.replaceAll(',', '') + fraction.slice(0, shift).padEnd(shift, '0'))
  const rounding = Number(fraction.charAt(shift)) >= 5 ? 1 : 0
  return money(units + rounding, stated ?? currencyCode(before) ?? currencyCode(after) ?? currencyCode(word))
}

/** Null for an amount above 2^53, which a number cannot represent exactly. */
function money(amount: number, currency: string | null): ParsedMoney | null {
  // Adding zero turns -0 into 0; see integer().
  return Number.isSafeInteger(amount) && amount >= 0 ? { amount: amount + 0, currency } : null
}

/** The lower-case ISO 4217 code for a code or a symbol. */
export function currencyCode(value: unknown): string | null {
  const name = text(value)
  if (name === null) return null
  return codes.has(name.toLowerCase()) ? name.toLowerCase() : (symbols[name.toUpperCase()] ?? null)
}
