import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** A seeded generator (Mulberry32): the same seed has the same draws everywhere. */
export class Random {
  #state: number

  /** `part` selects one of several independent series of a seed. */
  constructor(seed: number, part = 0) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(part, 0x85ebca6b)
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  /** Draws one of the names by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[]
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0)
    return names.find((name) => (left -= weights[name]) < 0) ?? this.pick(names)
  }
}

let drawn = new Random(0)
/**
 * A separate series for request ids, which are generated in advance for several seeds and must not affect other draws.
 */
const ofIds = new Random(0, 1)

/** Replaces the random sources of this process permanently: keys, ids and secrets are drawn from the seed. */
export function ownChance(): void {
  const fill = <Bytes extends Uint8Array>(bytes: Bytes, from = drawn): Bytes => {
    for (let at = 0; at < bytes.length; at++) bytes[at] = from.below(256)
    return bytes
  }
  Math.random = () => drawn.next()
  Object.assign(crypto, {
    randomFill: () => {
      throw new Error('the simulation does not own crypto.randomFill yet')
    },
    randomInt: (low: number, high?: number) => (high === undefined ? drawn.below(low) : low + drawn.below(high - low)),
    randomBytes: (length: number) => fill(Buffer.alloc(length)),
    randomFillSync: <Bytes extends Uint8Array>(bytes: Bytes) => fill(bytes, ofIds),
    randomUUID: () =>
      fill(Buffer.alloc(16))
        .toString('hex')
        .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-'),
  })
  syncBuiltinESMExports()
}

/** Restarts the draws of keys, ids and secrets. */
export function drawFrom(seed: number): void {
  drawn = new Random(seed, -1)
}
