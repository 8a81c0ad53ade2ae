import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { pinned } from './cores.ts'

export interface Started {
  pid: number
  /** Resolves when the process has ended for any reason. */
  ended: Promise<unknown>
  /** Rejects if the process ends before `stop`. */
  died: Promise<never>
  stop: () => Promise<void>
}

interface StartOptions {
  name: string
  command: string
  args: string[]
  cores: string | null
  env?: Record<string, string>
}

const patienceMs = 20_000
const running = new Set<ChildProcess>()

/** Starts a process with only PATH from our environment, so that no shell setting leaks in. */
export function startProcess({ name, command, args, cores, env = {} }: StartOptions): Started {
  const [program, options] = pinned(cores, command, args)
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, options, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  running.add(child)
  let tail = ''
  let stopping = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-2_000)))
  const ended = once(child, 'exit').then(() => running.delete(child))
  const died = ended.then(() => {
    if (stopping) return new Promise<never>(() => undefined)
    throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}: ${tail.trim()}`)
  })
  died.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    ended,
    died,
    async stop() {
      stopping = true
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      const patience = new AbortController()
      await Promise.race([
        ended,
        pause(patienceMs, null, { signal: patience.signal }).then(() => child.kill('SIGKILL')),
      ])
      patience.abort()
    },
  }
}

/** Stops all contestants when a run is interrupted. */
export function killAll(): void {
  for (const child of running) child.kill('SIGTERM')
}

/** Waits until a URL answers as expected, or the process behind it has ended. */
export async function untilAnswers(
  url: string,
  headers: Record<string, string>,
  process: Started,
  patienceMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  const poll = async () => {
    for (;;) {
      const status = await fetch(url, { headers }).then(
        async (response) => (await response.arrayBuffer(), response.status),
        () => 0,
      )
      if (status === 200) return
      if (performance.now() > deadline) throw new Error(`${url} does not answer: status ${status}`)
      await pause(20)
    }
  }
  await Promise.race([poll(), process.died])
}
