import { spawn } from 'node:child_process'
import { once } from 'node:events'

const mark = 'VITAE_CAMPAIGN_WORKER'

/**
 * Runs a script once more in a process group of its own, and hands signals to that process alone: Ctrl-C would otherwise
 * reach every service that it has started, and what is counted could not be finished. True in that process.
 */
export async function inOwnGroup(script: string): Promise<boolean> {
  if (process.env[mark] === '1') return true
  const args = [...process.execArgv, script, ...process.argv.slice(2)]
  const worker = spawn(process.execPath, args, {
    detached: true,
    stdio: 'inherit',
    env: { ...process.env, [mark]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void worker.kill(signal))
  await once(worker, 'exit')
  process.exitCode = worker.exitCode ?? 1
  return false
}

/** Is aborted by Ctrl-C. */
export function endSignal(): AbortSignal {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.abort())
  return end.signal
}
