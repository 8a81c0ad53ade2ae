import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { differencesOf } from './laws/canonical-state.ts'
import type { AskedAlike, PlayedAlike } from './play-alike.ts'
import type { PlayOptions } from './play-seeds.ts'
import type { SeedResult } from './run-seed.ts'

const engines = ['sqlite', 'postgres'] as const
/** More differences would explain nothing. */
const shownAtMost = 12
const lengthAtMost = 400

/**
 * Plays each seed on both engines, each in a process of its own, and compares what happened and the states of the
 * stores. The store takes one message at a time, so that PostgreSQL has no order of its own to decide.
 */
export class BothEngines {
  readonly #plant: string | undefined
  readonly #processes: readonly ChildProcess[]

  constructor(plant: string | undefined) {
    this.#plant = plant
    const path = join(import.meta.dirname, 'play-alike.ts')
    this.#processes = engines.map(() => fork(path, { execArgv: ['--no-warnings'] }))
  }

  async play(seed: number, { steps, only, without = [], onStep }: PlayOptions): Promise<SeedResult> {
    const played = this.#processes.map((child, index) => {
      const engine = engines[index] ?? 'sqlite'
      return ask(child, { engine, plant: this.#plant, seed, steps, only: only && [...only], without })
    })
    const [sqlite, postgres] = (await Promise.all(played)) as [PlayedAlike, PlayedAlike]
    for (const line of sqlite.lines) onStep?.(line)
    const violation = sqlite.result.violation ?? postgres.result.violation ?? difference(sqlite, postgres, steps)
    const exercises = {
      ...sqlite.result.exercises,
      'both engines reach the same state': { checked: 1, applied: sqlite.result.calls > 0 ? 1 : 0 },
    }
    return { ...sqlite.result, exercises, violation }
  }

  async close(): Promise<void> {
    const ended = this.#processes.map((child) => once(child, 'exit'))
    for (const child of this.#processes) child.disconnect()
    await Promise.all(ended)
  }
}

async function ask(child: ChildProcess, asked: AskedAlike): Promise<PlayedAlike> {
  const ended = new AbortController()
  child.once('exit', () => ended.abort(new Error(`the process of ${asked.engine} ended in seed ${asked.seed}`)))
  child.send(asked)
  const [played] = (await once(child, 'message', { signal: ended.signal })) as [PlayedAlike]
  return played
}

/** The first event that differs, and the rows that differ. */
function difference(sqlite: PlayedAlike, postgres: PlayedAlike, steps: number): SeedResult['violation'] {
  const at = sqlite.lines.findIndex((line, index) => line !== postgres.lines[index])
  const rows = differencesOf(sqlite.state, postgres.state)
  if (at === -1 && rows.length === 0 && sqlite.lines.length === postgres.lines.length) return null
  const events = at === -1 ? [] : [`- event ${sqlite.lines[at]}`, `+ event ${postgres.lines[at]}`]
  const shown = [...events, ...rows.slice(0, shownAtMost)].map((row) => row.slice(0, lengthAtMost))
  const more = rows.length > shownAtMost ? [`and ${rows.length - shownAtMost} more rows`] : []
  const what = ['- on SQLite, + on PostgreSQL', ...shown, ...more].join('\n    ')
  // The step of the event, so that the shortest run ends there.
  const before = at === -1 ? [] : sqlite.lines.slice(0, at + 1).filter((line) => /^\d+ /.test(line))
  return {
    step: at === -1 ? steps : Number(before.at(-1)?.split(' ')[0] ?? steps),
    law: 'both engines reach the same state',
    what,
  }
}
