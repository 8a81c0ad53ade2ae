import { fork, type ChildProcess, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../foundation/failure.ts'
import { moduleUrl } from '../../../foundation/module-url.ts'
import type { ReaderProgress } from './check-file.ts'
import type { Answers, Question, ReaderReply } from './reader-process.ts'

/**
 * Asks a separate process about a file of a store. The serving process must open these files only through SQLite: POSIX
 * drops all locks of a process on a file as soon as it closes any descriptor of that file, and then another program
 * could remove the log under the service. Also, a process can be killed, unlike the engine's own check. Null if its
 * time limit was too short.
 */
export async function askReader<Kind extends Question['kind']>(
  question: Extract<Question, { kind: Kind }>,
  withinMs: number | null = null,
  onProgress?: (progress: ReaderProgress) => void,
): Promise<Answers[Kind] | null> {
  const child = takeReader()
  let late = false
  const timer = withinMs === null ? undefined : setTimeout(() => (late = child.kill('SIGKILL')), withinMs)
  try {
    const reply = (await ask(child, question, onProgress)) as ReaderReply
    if ('error' in reply) throw new Error(reply.error)
    clearTimeout(timer)
    keepReader(child)
    return reply.answer as Answers[Kind]
  } catch (error) {
    clearTimeout(timer)
    child.kill('SIGKILL')
    if (late) return null
    throw new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
  }
}

/**
 * Long enough for the next question of an erasure or a backup, which ask several: starting takes longer than most
 * answers.
 */
const restMs = 2_000
/** An idle reader that has answered before. */
let resting: ChildProcess | null = null
let restEnds: NodeJS.Timeout | undefined

function takeReader(): ChildProcess {
  const child = resting
  resting = null
  clearTimeout(restEnds)
  // A reader whose idle time is over was killed, and may not have ended yet.
  if (!child?.connected || child.killed || child.signalCode !== null) return startReader('reader-process', [], [])
  child.ref()
  child.channel?.ref()
  return child
}

/** It keeps nothing open but its channel, and this process does not wait for it. */
function keepReader(child: ChildProcess): void {
  if (resting?.connected) return void child.kill('SIGKILL')
  child.unref()
  child.channel?.unref()
  resting = child
  restEnds = setTimeout(() => child.kill('SIGKILL'), restMs).unref()
}

/** Starts a program of this folder with the parent's process id as its first argument. Bytes are sent as bytes. */
export function startReader(program: string, args: readonly string[], execArgv: string[]): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc']
  const script = fileURLToPath(moduleUrl(`./${program}`, import.meta.url))
  return fork(script, [String(process.pid), ...args], { execArgv, serialization: 'advanced', stdio })
}

/** Sends a message to a process that answers each with one, and returns the answer. Progress may come before it. */
export function ask(
  child: ChildProcess,
  question: object,
  onProgress?: (progress: ReaderProgress) => void,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onMessage = (message: object) =>
    'done' in message ? onProgress?.(message as ReaderProgress) : resolve(message)
  const onExit = (code: number | null, signal: string | null) =>
    reject(new Error(`the reader ended early (${signal ?? code})`))
  child.on('message', onMessage).once('error', reject).once('exit', onExit)
  child.send(question, (error) => error && reject(error))
  return promise.finally(() => child.off('message', onMessage).off('error', reject).off('exit', onExit))
}
