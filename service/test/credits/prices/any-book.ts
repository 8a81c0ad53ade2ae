import { dataSources, type PersonPart } from '@vitae/contract'
import fc from 'fast-check'
import {
  pricedBy,
  pricedKinds,
  type LineMatch,
  type PriceAsk,
  type PriceLine,
  type PriceLists,
} from '../../../src/credits/prices/price-book.ts'

/** All that lines can ask about a call. */
export type Facts = Required<LineMatch>
/** The optional parts that a call asks for, or that a record has. */
export type Parts = Record<PersonPart, boolean>

export const amount = fc.nat(9)
const placeName = fc.constantFrom('acme', 'beta', 'gamma')
const matchers = {
  kind: fc.constantFrom(...pricedKinds),
  by: fc.constantFrom(...pricedBy),
  source: fc.constantFrom(...dataSources),
  thin: fc.boolean(),
  bypass: fc.boolean(),
  changed: fc.boolean(),
  project: placeName,
  environment: placeName,
}
const anyLine: fc.Arbitrary<PriceLine> = fc.record({ ...matchers, credits: amount }, { requiredKeys: ['credits'] })
/** Every right book: any lines, a last one that fits every call, and any parts. */
export const anyLists: fc.Arbitrary<PriceLists> = fc
  .tuple(
    fc.array(anyLine, { maxLength: 12 }),
    amount,
    fc.uniqueArray(fc.constantFrom<PersonPart>('contact', 'network', 'verifications')),
    amount,
  )
  .map(([lines, last, parts, credits]) => ({
    lines: [...lines, { credits: last }],
    parts: parts.map((part, index) => ({ part, credits: credits + index })),
  }))
/** Every call and end; some are of a project that no line names. */
export const anyFacts: fc.Arbitrary<Facts> = fc.record({
  ...matchers,
  project: fc.constantFrom('acme', 'beta', 'other'),
})
export const anyParts: fc.Arbitrary<Parts> = fc.record({
  contact: fc.boolean(),
  network: fc.boolean(),
  verifications: fc.boolean(),
})

/** A book as its words say it: line by line, for every call. */
export function naive({ lines, parts }: PriceLists, facts: Facts, include: Parts, has: Parts) {
  const index = lines.findIndex((line) =>
    (Object.keys(facts) as (keyof Facts)[]).every((key) => line[key] === undefined || line[key] === facts[key]),
  )
  const given = facts.kind === 'people' ? parts.filter(({ part }) => include[part] && has[part]) : []
  const extras = given.reduce((sum, { credits }) => sum + credits, 0)
  return { line: index + 1, credits: (lines[index]?.credits ?? NaN) + extras, extras }
}

/** What is known of a call before it is answered. */
export function asked(facts: Facts, include: Parts): PriceAsk {
  return { ...facts, include }
}
