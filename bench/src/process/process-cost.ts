import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** CPU seconds that process trees have used so far, including ended children; null without /proc. */
export function cpuSeconds(roots: readonly number[]): number | null {
  try {
    const parents = new Map<number, number>()
    const ticks = new Map<number, number>()
    for (const name of readdirSync('/proc')) {
      const stat = /^\d+$/.test(name) ? readStat(name) : null
      if (!stat) continue
      parents.set(Number(name), stat.parent)
      ticks.set(Number(name), stat.ticks)
    }
    const isOurs = (pid: number): boolean => roots.includes(pid) || isOursByParent(parents.get(pid))
    const isOursByParent = (pid: number | undefined): boolean => pid !== undefined && pid > 1 && isOurs(pid)
    let sum = 0
    for (const [pid, used] of ticks) if (isOurs(pid)) sum += used
    return sum / ticksPerSecond
  } catch {
    return null
  }
}

function readStat(pid: string): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain spaces and brackets, so fields are counted from its closing bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), ticks }
  } catch {
    return null
  }
}

/** Resident memory of a process in MB, current and peak; null without /proc. */
export function memoryOf(pid: number): { nowMb: number; peakMb: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? NaN) / 1_024
    return { nowMb: mb('VmRSS'), peakMb: mb('VmHWM') }
  } catch {
    return null
  }
}
