type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

interface Spot {
  holder: Json[] | { [key: string]: Json }
  key: string
  value: Json
}

/** Unexpected values that a mutation puts in place of an existing one. */
const surprises: readonly Json[] = [
  ...[null, '', ' ', 0, -1, 1.5, 1e300, true, false, [], {}, [null], [''], '0', 'Present', '\0', '\uD800', [[[]]]],
  ...['2019-13-45', { year: 0, month: 0, day: 0 }, { year: '2019', month: 'Mar' }, 'Jan 2021 Dec 2022 2 years'],
  ...['https://www.linkedin.com/company/%E0%A4%A', 'linkedin.com/school/1441/', 'Chicago, IL', 'US,ZA,,UY', 'Georgia'],
  ...['<p>a</p>&#0;&amp;#39;', '9223372036854775807', 'US$ 391.5K', '__proto__', { text: 'Present' }],
]

/** A pseudo-random generator from 0 to 1. The same seed repeats the same numbers, so a finding can be reproduced. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A random variation of a payload: keys dropped, added or repeated, and values replaced. */
export function mutatePayload(payload: unknown, random: () => number): unknown {
  const copy = structuredClone(payload) as Json
  const changes = 1 + Math.floor(random() * 8)
  for (let change = 0; change < changes; change++) {
    const spot = pick(spotsIn(copy), random)
    if (spot) mutate(spot, structuredClone(pick(surprises, random) ?? null), Math.floor(random() * 5))
  }
  return copy
}

function mutate({ holder, key, value }: Spot, surprise: Json, how: number): void {
  const set = (other: Json) => Object.assign(holder, { [key]: other })
  if (how === 0) set(surprise)
  else if (how === 1) set(typeof value === 'number' ? String(value) : [value])
  else if (how === 2 && !Array.isArray(holder)) holder['surprising_key'] = surprise
  else if (how === 3 && Array.isArray(holder)) holder.push(structuredClone(value))
  else if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function spotsIn(value: Json): Spot[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key, value: inner }, ...spotsIn(inner)])
}

function pick<T>(from: readonly T[], random: () => number): T | undefined {
  return from[Math.floor(random() * from.length)]
}
