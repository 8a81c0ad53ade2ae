import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startProcess } from '../process/start-process.ts'

/** PostgreSQL and Redis on the server's core, so that their cost counts for the server that uses them. */
export interface Engines {
  /** A database for Vitae, and one for the Express service. */
  vitaeUrl: string
  peerUrl: string
  redisUrl: string
  pid: number
  stop: () => Promise<void>
}

const script = join(import.meta.dirname, '../../peers/engines.ts')

/**
 * Starts both engines in one process tree; null with a warning if one of them is not available. PostgreSQL is kept in
 * the given folder for the next run.
 */
export async function startEngines(
  cores: string | null,
  folder: string,
  say: (text: string) => void,
  keptIn?: string,
): Promise<Engines | null> {
  const file = join(mkdtempSync(join(folder, 'engines-')), 'urls.json')
  const args = [script, file, ...(keptIn === undefined ? [] : [keptIn])]
  const started = startProcess({ name: 'engines', command: process.execPath, args, cores })
  const ready = async () => {
    while (!existsSync(file)) await pause(50)
  }
  try {
    await Promise.race([ready(), started.died])
    const urls = JSON.parse(readFileSync(file, 'utf8')) as Pick<Engines, 'vitaeUrl' | 'peerUrl' | 'redisUrl'>
    return { ...urls, pid: started.pid, stop: started.stop }
  } catch (error) {
    say(`!! SKIPPED: everything on PostgreSQL and Redis, because they could not be started. ${String(error)}`)
    return null
  }
}
