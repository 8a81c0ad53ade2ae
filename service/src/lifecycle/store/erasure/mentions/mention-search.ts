import type { Kind } from '@vitae/contract'
import { printBytes, printOfName, printsOf } from '../../../../records/mentions/name-prints.ts'
import { mayMention } from './mentions.ts'
import type { SearchTerm } from './search-terms.ts'

/**
 * A search for the terms of all subjects of an erasure at once. It finds possible mentions; `mentionTest` confirms
 * them.
 */
export interface MentionSearch {
  /** The prints of the terms, if the engine can search for them; null if they are many, or if a term lacks them. */
  prints: readonly Uint8Array[] | null
  /** False if a body with these prints certainly mentions nobody. */
  mayBeIn(prints: Uint8Array): boolean
  /** The terms that may occur in a body. */
  termsIn(kind: Kind, body: Uint8Array): SearchTerm[]
}

/** Up to this many terms are searched one after another. */
const fewTerms = 32
/** The engine takes 0.3 µs for a print in the prints of a body; to read them all takes 5 µs. */
const fewPrints = 12

/**
 * Builds the search. A company is searched only in other companies' data: where someone worked is that person's data.
 */
export function mentionSearch(searchTerms: readonly SearchTerm[]): MentionSearch {
  const searches = {
    people: searchIn(searchTerms.filter(({ kind }) => kind === 'people')),
    companies: searchIn(searchTerms),
  }
  return {
    prints: searches.companies.prints,
    // Which kind of data counts is decided when a body is read.
    mayBeIn: (prints) => searches.companies.mayBeIn(prints),
    termsIn: (kind, body) => searches[kind].termsIn(body),
  }
}

function searchIn(searchTerms: readonly SearchTerm[]) {
  const printed = new Map<number, SearchTerm[]>()
  /** Terms without a print: only the whole text of a body can show them. */
  const others: SearchTerm[] = []
  for (const term of searchTerms) {
    const print = printOfTerm(term)
    if (print === null) others.push(term)
    else printed.set(print, [...(printed.get(print) ?? []), term])
  }
  const bits = new Uint8Array(printed.size === 0 ? 0 : 2 ** 21)
  for (const print of printed.keys()) bits[print >>> 3] = (bits[print >>> 3] ?? 0) | (1 << (print & 7))
  const found = (prints: Uint8Array, onHit: (print: number) => boolean): boolean => {
    for (let at = 0; at + printBytes <= prints.length; at += printBytes) {
      const print = ((prints[at] ?? 0) << 16) | ((prints[at + 1] ?? 0) << 8) | (prints[at + 2] ?? 0)
      if (((bits[print >>> 3] ?? 0) & (1 << (print & 7))) !== 0 && onHit(print)) return true
    }
    return false
  }
  const maybeOthers = mayMention(others)
  const maybeAny = mayMention(searchTerms)
  const isFew = others.length === 0 && printed.size > 0 && printed.size <= fewPrints
  return {
    prints: isFew ? [...printed.keys()].map((print) => Uint8Array.of(print >>> 16, print >>> 8, print)) : null,
    mayBeIn: (prints: Uint8Array) => {
      if (searchTerms.length === 0) return false
      return others.length > 0 || hasTooManyNames(prints) || found(prints, () => true)
    },
    termsIn: (body: Uint8Array): SearchTerm[] => {
      if (searchTerms.length <= fewTerms) return maybeAny(body) ? [...searchTerms] : []
      const prints = printsOf([body])
      if (hasTooManyNames(prints)) return searchTerms.filter((term) => mayMention([term])(body))
      const terms = new Set<SearchTerm>()
      found(prints, (print) => {
        for (const term of printed.get(print) ?? []) terms.add(term)
        return false
      })
      if (others.length > 0 && maybeOthers(body))
        for (const term of others) if (mayMention([term])(body)) terms.add(term)
      return [...terms]
    },
  }
}

/** Whether a body has too many names to have prints. */
function hasTooManyNames(prints: Uint8Array): boolean {
  return prints.length % printBytes !== 0
}

function printOfTerm({ form, value }: SearchTerm): number | null {
  return form === 'text' ? null : printOfName(value, form === 'token')
}
