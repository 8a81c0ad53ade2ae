import { cpus, totalmem } from 'node:os'
import type { Cores } from './cores.ts'

/** The machine and date of a measurement, without which its figures mean nothing. */
export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  platform: string
  node: string
  date: string
  pinning: string
  loadGenerator: string
}

/** Describes this machine, without its name or addresses. */
export function describeMachine(cores: Cores, loadGenerator: string): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cores.all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
    pinning: cores.server === null ? 'none' : `server on core ${cores.server}, load on core ${cores.load}`,
    loadGenerator,
  }
}
