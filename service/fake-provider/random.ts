/** FNV-1a: a number that is always the same for a text. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** A source of choices that are always the same for a seed. */
export interface Dice {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(list: readonly T[]): T
}

/** The dice of a seed (mulberry32). */
export function diceFor(seed: string): Dice {
  let state = hashOf(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { between, pick: (list) => list[between(0, list.length - 1)] as (typeof list)[number] }
}
