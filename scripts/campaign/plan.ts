import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Figures, Stage } from './stages.ts'

/** The parts of a campaign: all of them run on one commit. */
export interface Plan {
  commit: string
  seed: number
  /** Null: until each stage reached its goal. */
  hours: number | null
  stages: string[]
}

/** The turns and figures so far, by the name of the stage. */
export type Done = Record<string, { begun: number; ended: number; seconds: number; figures: Figures }>

export interface NextTurn {
  stage: Stage
  seed: number
  ms: number
}

const roundMs = 1_800_000

/** The next turn of the stage that ended the fewest; null when all are over. */
export function nextTurn({ seed, hours }: Plan, stages: readonly Stage[], done: Done): NextTurn | null {
  const rounds = hours === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.round((hours * 3_600_000) / roundMs))
  const ended = (stage: Stage) => done[stage.name]?.ended ?? 0
  const isOver = ({ name, goal }: Stage) => (done[name]?.figures.counts[goal.of] ?? 0) >= goal.reach
  const open = stages.filter(
    (stage) => ended(stage) < rounds && !done[stage.name]?.figures.skipped && !(hours === null && isOver(stage)),
  )
  const [stage] = open.toSorted((one, other) => ended(one) - ended(other))
  if (!stage) return null
  const shares = stages.reduce((sum, { share }) => sum + share, 0)
  const ms =
    hours === null ? (stage.goal.ms ?? roundMs * stage.share) : (hours * 3_600_000 * stage.share) / shares / rounds
  // An interrupted turn is repeated with another seed, because its figures count.
  return { stage, ms, seed: seed + (done[stage.name]?.begun ?? 0) * 100_000 }
}

/** Adds a turn to what is done. An interrupted one counts, but does not end. */
export function addTurn(
  done: Done,
  name: string,
  { seconds, figures, interrupted }: { seconds: number; figures: Figures; interrupted: boolean },
): Done {
  const before = done[name]
  const whole = {
    begun: (before?.begun ?? 0) + 1,
    ended: (before?.ended ?? 0) + (interrupted ? 0 : 1),
    seconds: (before?.seconds ?? 0) + seconds,
    figures: sumOf(before?.figures, figures),
  }
  return { ...done, [name]: whole }
}

/** Adds up the figures of several turns. */
function sumOf(before: Figures | undefined, figures: Figures): Figures {
  if (!before) return figures
  const { counts, lost, doubled, failures } = figures
  const names = new Set([...Object.keys(before.counts), ...Object.keys(counts)])
  const add = (name: string) =>
    name.endsWith('at most')
      ? Math.max(before.counts[name] ?? 0, counts[name] ?? 0)
      : (before.counts[name] ?? 0) + (counts[name] ?? 0)
  return {
    ...figures,
    counts: Object.fromEntries([...names].map((name) => [name, add(name)])),
    lost: before.lost + lost,
    doubled: before.doubled + doubled,
    failures: [...before.failures, ...failures],
  }
}

/** Reads what an interrupted campaign has done. Fails if that was another campaign, or another commit. */
export function resume(path: string, plan: Plan): Done {
  if (plan.commit.endsWith('changed'))
    throw new Error('all of a resumed campaign runs on one commit: commit your changes')
  if (!existsSync(path)) return {}
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { plan: Plan; done: Done }
  const [was, is] = [JSON.stringify(kept.plan), JSON.stringify(plan)]
  if (was !== is) throw new Error(`${path} is of another campaign: ${was}. This one is ${is}`)
  return kept.done
}

/** Writes what is done, so that even a kill leaves a whole file. */
export function keep(path: string, plan: Plan, done: Done): void {
  writeFileSync(`${path}.new`, JSON.stringify({ plan, done }, null, 1))
  renameSync(`${path}.new`, path)
}
