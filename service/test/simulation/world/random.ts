import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Draws from a seed: the same seed gives the same draws everywhere (Mulberry32). */
export class Random {
  #state: number

  /** A part gives a seed several series of draws that do not depend on each other. */
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

  /** One of the names, as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[]
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0)
    return names.find((name) => (left -= weights[name]) < 0) ?? this.pick(names)
  }
}

let drawn = new Random(0)
/** Of request ids, which are made in advance, for several seeds: the others must not depend on when. */
const ofIds = new Random(0, 1)

/** Keys, ids and secrets of this process are drawn from here on, for good: the process exists for the simulation. */
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

/** Begins the draws of keys, ids and secrets again. */
export function drawFrom(seed: number): void {
  drawn = new Random(seed, -1)
}
