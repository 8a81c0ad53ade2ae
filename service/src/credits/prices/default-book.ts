import { kinds, type Kind } from '@vitae/contract'
import { CompiledBook } from './compiled-book.ts'
import type { PriceLine } from './price-book.ts'

/** The variables that price calls where no book was set. Null = the same as the normal price. */
export interface PriceVariables {
  people: number
  companies: number
  stale: number | null
  thin: number | null
  bypass: number | null
  /** Of a company found by its domain; null = nothing from the store, the price of a company from a provider. */
  resolve: number | null
  /** Of a record found by a match, however it is answered; null = the price of the record. */
  match: number | null
}

/**
 * The variables as a book, version 0: it holds until the first one is set. What the caller got goes before how it was asked
 * for: a stale or a thin answer has that price even when the cache was bypassed, and one that is both has the lower of the two.
 */
export function defaultBook(variables: PriceVariables): CompiledBook {
  const { companies, resolve, match } = variables
  const lines: PriceLine[] = [
    ...(match === null ? [] : kinds.map((kind): PriceLine => ({ by: 'match', kind, credits: match }))),
    { kind: 'resolve', source: 'store', credits: resolve ?? 0 },
    { kind: 'resolve', credits: resolve ?? companies },
    ...kinds.flatMap((kind) => linesOf(kind, variables)),
    { credits: companies },
  ]
  return new CompiledBook(0, 0, { lines, parts: [] })
}

function linesOf(kind: Kind, variables: PriceVariables): PriceLine[] {
  const normal = variables[kind]
  const [stale, thin] = [variables.stale ?? normal, variables.thin ?? normal]
  return [
    { kind, source: 'stale_fallback', thin: true, credits: Math.min(stale, thin) },
    { kind, source: 'stale_fallback', credits: stale },
    { kind, thin: true, credits: thin },
    { kind, bypass: true, credits: variables.bypass ?? normal },
    { kind, credits: normal },
  ]
}
