import { spawn } from 'node:child_process'
import { once } from 'node:events'

const mark = 'VITAE_CAMPAIGN_WORKER'

/**
 * Runs a script once more in a process group of its own, and hands signals to that process alone: Ctrl-C would otherwise
 * reach every service that it has started, and what is counted could not be finished. Returns in that process only.
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

/** Is aborted by Ctrl-C. */
export function endSignal(): AbortSignal {
  const end = new AbortController()
  onlyOn(() => end.abort())
  return end.signal
}

/** What is to be done at Ctrl-C. The package that carries PostgreSQL would end the process at once. */
function onlyOn(listener: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal).on(signal, listener)
}
