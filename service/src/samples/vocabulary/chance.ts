import { hash } from 'node:crypto'

/** Draws that depend only on the seed: the same text returns the same record on every machine. */
export interface Chance {
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  pick<T>(list: readonly T[]): T
  /** Distinct members of the list, in its order. */
  several<T>(list: readonly T[], count: number): T[]
  /** True in `percent` of a hundred draws. */
  odds(percent: number): boolean
}

/** A number below `limit` derived from the text. */
export function numberOf(text: string, limit: number): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16) % limit
}

/** The draws of a seed. */
export function chanceOf(seed: string): Chance {
  const next = mulberry32(numberOf(seed, 2 ** 32))
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const pick = <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T
  const several = <T>(list: readonly T[], count: number) => {
    const left = list.map((_, index) => index)
    while (left.length > count) left.splice(whole(0, left.length - 1), 1)
    return left.map((index) => list[index] as T)
  }
  return { whole, pick, several, odds: (percent) => next() * 100 < percent }
}

/** Tommy Ettinger's 32-bit generator: small, uniform, and the same on every engine. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
