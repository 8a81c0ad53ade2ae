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

/** All facts that price lines can match. */
export type Facts = Required<LineMatch>
/** The optional parts that a call requests, or that a record has. */
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
/** Every valid book: any lines, a last one that matches every call, and any parts. */
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
/** Every call and outcome; some belong to a project that no line names. */
export const anyFacts: fc.Arbitrary<Facts> = fc.record({
  ...matchers,
  project: fc.constantFrom('acme', 'beta', 'other'),
})
export const anyParts: fc.Arbitrary<Parts> = fc.record({
  contact: fc.boolean(),
  network: fc.boolean(),
  verifications: fc.boolean(),
})

/** A book read line by line, for every call. */
export function naive({ lines, parts }: PriceLists, facts: Facts, include: Parts, has: Parts) {
  const index = lines.findIndex((line) =>
    (Object.keys(facts) as (keyof Facts)[]).every((key) => line[key] === undefined || line[key] === facts[key]),
  )
  const given = facts.kind === 'people' ? parts.filter(({ part }) => include[part] && has[part]) : []
  const extras = given.reduce((sum, { credits }) => sum + credits, 0)
  return { line: index + 1, credits: (lines[index]?.credits ?? NaN) + extras, extras }
}

/** The facts known before a call is answered. */
export function asked(facts: Facts, include: Parts): PriceAsk {
  return { ...facts, include }
}

/** The flags of an answer that lines can match on. */
const endFlags = ['thin', 'changed'] as const

/** Every outcome of a call. */
function endsOf(facts: Facts): Facts[] {
  const sources = facts.bypass ? (['live'] as const) : dataSources
  const ends = sources.map((source): Facts => ({ ...facts, source }))
  return endFlags.reduce(
    (all, flag) => all.flatMap((end) => [true, false].map((value) => ({ ...end, [flag]: value }))),
    ends,
  )
}

/** The highest price of all outcomes of a call, read line by line. Every requested part may have a value. */
export function dearest(lists: PriceLists, facts: Facts, include: Parts): number {
  const all = { contact: true, network: true, verifications: true }
  return Math.max(...endsOf(facts).map((end) => naive(lists, end, include, all).credits))
}
