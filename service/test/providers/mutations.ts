import type { Kind } from '@vitae/contract'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Projection, type Provider, ProviderFault } from '@vitae/provider'
import { expectValidProjection } from './projection-rules.ts'

export const runs = process.env.VITAE_TEST_LONG ? 10_000 : 100

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Unexpected values. */
const surprise: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e300,
    true,
    false,
    [],
    {},
    [null],
    [''],
    '0',
    'Present',
    '\0',
    '\uD800',
  ),
  fc.constantFrom<Json>(
    '2019-13-45',
    { year: 0, month: 0, day: 0 },
    { year: '2019', month: 'Mar' },
    'Issued Oct 2017See credential',
  ),
  fc.constantFrom<Json>(
    'https://www.linkedin.com/company/%E0%A4%A',
    'https://www.linkedin.com/search/results/all/?keywords=x',
  ),
  fc.constantFrom<Json>('<p>a</p>&#0;&amp;#39;', '9223372036854775807', 'US$ 391.5K', '__proto__', [[[]]], {
    text: 'Present',
  }),
  fc.constantFrom<Json>(
    'Singapore, SG',
    'Chicago, IL',
    'New York, New York 10001, US',
    'Georgia',
    'US,ZA,,UY',
    'CS 101',
    'a; b, and c',
  ),
  fc.constantFrom<Json>(
    'https://pt.linkedin.com/showcase/x/?trk=y',
    'linkedin.com/school/1441/',
    'Jan 2021 Dec 2022 2 years',
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
)

interface Mutation {
  at: number
  how: 'drop' | 'replace' | 'stringify' | 'add' | 'repeat'
  value: Json
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('drop', 'replace', 'stringify', 'add', 'repeat'),
  value: surprise,
})

interface Spot {
  holder: Json[] | { [key: string]: Json }
  key: string
  value: Json
}

function spots(value: Json): Spot[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value
  return Object.entries(value).flatMap(([key, inner]) => [{ holder, key, value: inner }, ...spots(inner)])
}

function set({ holder, key }: Spot, value: Json): void {
  Object.assign(holder, { [key]: value })
}

function mutate(original: Json, mutations: Mutation[]): Json {
  const copy = structuredClone(original)
  for (const { at, how, value: shared } of mutations) {
    const value = structuredClone(shared)
    const all = spots(copy)
    const spot = all[at % Math.max(1, all.length)]
    if (!spot) continue
    if (how === 'replace') set(spot, value)
    else if (how === 'stringify') set(spot, typeof spot.value === 'number' ? String(spot.value) : [spot.value])
    else if (how === 'add') Object.assign(spot.holder, Array.isArray(spot.holder) ? {} : { surprising_key: value })
    else if (how === 'repeat' && Array.isArray(spot.holder)) spot.holder.push(structuredClone(spot.value))
    else if (Array.isArray(spot.holder)) spot.holder.splice(Number(spot.key), 1)
    else delete spot.holder[spot.key]
  }
  return copy
}

/** Mutated payloads: keys dropped, added and repeated, and values replaced. */
export function mutated(originals: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(originals, fc.array(mutation, { minLength: 1, maxLength: 12 }))
    .map(([original, mutations]) => mutate(original, mutations))
}

/** Checks that each mutated payload becomes a valid record or is refused, and nothing else. */
export function expectSturdy(provider: Provider, kind: Kind, payloads: Uint8Array[]): void {
  const originals = payloads.map((payload) => JSON.parse(new TextDecoder().decode(payload)) as Json)
  fc.assert(
    fc.property(mutated(fc.constantFrom(...originals)), (payload) => {
      const projection = projectOrRefuse(provider, kind, new TextEncoder().encode(JSON.stringify(payload)))
      if (projection) expectValidProjection(kind, projection)
    }),
    { numRuns: runs },
  )
}

function projectOrRefuse(provider: Provider, kind: Kind, payload: Uint8Array): Projection | null {
  try {
    return provider.project(kind, payload)
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderFault)
    expect(error).toMatchObject({ kind: 'invalid' })
    return null
  }
}
