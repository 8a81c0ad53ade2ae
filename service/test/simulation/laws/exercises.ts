import type { EngineName } from '../play-seeds.ts'
import { laws, type Law } from './law.ts'

/** The number of checks of a law on operations that succeeded, and of those in which its premise was true. */
interface Exercise {
  checked: number
  applied: number
}
export type Exercises = Partial<Record<Law, Exercise>>

/** A process plays one seed at a time. */
let ofSeed: Exercises = {}

/**
 * Counts a check of a law. Its premise is the situation that the law is about: without it, the law holds whatever the
 * service does.
 */
export function exercise(law: Law, applies: boolean): void {
  const counts = (ofSeed[law] ??= { checked: 0, applied: 0 })
  counts.checked += 1
  if (applies) counts.applied += 1
}

/** The counts since the last time. */
export function takeExercises(): Exercises {
  const taken = ofSeed
  ofSeed = {}
  return taken
}

/** Adds the counts of one run to those of others. */
export function addExercises(sum: Exercises, more: Exercises): void {
  for (const [law, { checked, applied }] of Object.entries(more) as [Law, Exercise][]) {
    const counts = (sum[law] ??= { checked: 0, applied: 0 })
    counts.checked += checked
    counts.applied += applied
  }
}

/** The laws whose premise was never true. */
export function neverExercised(counts: Exercises, engine: EngineName): Law[] {
  const applicable = laws.filter((law) => engine === 'both' || law !== 'both engines reach the same state')
  return applicable.filter((law) => !counts[law]?.applied)
}

/** A table of the counts, with the least exercised law first. */
export function exerciseTable(counts: Exercises): string {
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => a.applied - b.applied)
  const lines = rows.map(([law, { checked, applied }]) => `| ${law} | ${checked} | ${applied} |`)
  return ['| law | checked | premise true |', '|---|--:|--:|', ...lines].join('\n')
}
