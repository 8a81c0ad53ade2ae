import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const pinner = 'taskset'

/** The assignment of cores. Null means that nothing is pinned, and the result says so. */
export interface Cores {
  all: number[]
  /** All cores, for work that is not measured. */
  every: string | null
  /** The core of a server with all its processes. */
  server: string | null
  /** The core of the load, and of everything outside the server, such as the fake provider. */
  load: string | null
}

/** One core for the server, another for the load. Without taskset or a second core nothing is pinned. */
export function planCores(): Cores {
  const all = allowedCores()
  const canPin = !spawnSync(pinner, ['--version']).error
  const [server, load] = [all[0], all.at(-1)]
  if (!canPin || server === undefined || load === undefined || server === load)
    return { all, every: null, server: null, load: null }
  return { all, every: all.join(','), server: String(server), load: String(load) }
}

/** A command line that runs on the given cores. taskset uses exec, so the process id stays the same. */
export function pinned(cores: string | null, command: string, args: string[]): [string, string[]] {
  return cores === null ? [command, args] : [pinner, ['-c', cores, command, ...args]]
}

/** Moves this process with all its threads to the given cores. */
export function pinSelf(cores: string | null): void {
  if (cores !== null) spawnSync(pinner, ['-a', '-c', '-p', cores, String(process.pid)])
}

function allowedCores(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    return list.split(',').flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
  } catch {
    return Array.from({ length: availableParallelism() }, (_, index) => index)
  }
}
