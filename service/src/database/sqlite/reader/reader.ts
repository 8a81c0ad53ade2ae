import { fork, type ChildProcess, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../foundation/failure.ts'
import { moduleUrl } from '../../../foundation/module-url.ts'
import { apartFromCopies } from '../copy-sqlite.ts'
import type { Answers, Question, ReaderProgress, ReaderReply } from './reader-process.ts'

/**
 * Asks a process of its own about a file of a store. The serving process must not open these files but through SQLite: POSIX
 * drops all locks of a process on a file as soon as it closes any descriptor of that file, and then an outside program
 * takes the log away under the service. It can also be ended, which the engine's own check cannot; null where its time, if
 * it has a limit, was too short.
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

/** Long enough for the next question of an erasure or of a backup, which ask several: to start takes longer than most answers. */
const restMs = 2_000
/** The reader that has answered, and that nobody asks now. */
let resting: ChildProcess | null = null
let restEnds: NodeJS.Timeout | undefined

function takeReader(): ChildProcess {
  const child = resting
  resting = null
  clearTimeout(restEnds)
  // One whose rest is over was told to end, and may not have yet.
  if (!child?.connected || child.killed || child.signalCode !== null) return startReader('reader-process', [], [])
  child.ref()
  child.channel?.ref()
  return child
}

/** It keeps nothing open but its channel, and this process need not wait for it. */
function keepReader(child: ChildProcess): void {
  if (resting?.connected) return void child.kill('SIGKILL')
  child.unref()
  child.channel?.unref()
  resting = child
  restEnds = setTimeout(() => child.kill('SIGKILL'), restMs).unref()
}

/** Starts one of the programs of this folder, and tells it first who its parent is. Bytes travel as bytes. */
export function startReader(program: string, args: readonly string[], execArgv: string[]): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc']
  const script = fileURLToPath(moduleUrl(`./${program}`, import.meta.url))
  return fork(script, [String(process.pid), ...args], { execArgv, serialization: 'advanced', stdio })
}

/** Sends a message to a process that answers each with one, and gives the answer. How far it is may come before. */
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

/**
 * What the engine finds wrong with the file of a store that may be in use: every page is read. Empty where it is sound, null
 * where the time was too short.
 */
export function checkFile(path: string, withinMs: number | null): Promise<string[] | null> {
  return apartFromCopies(() => askReader({ kind: 'check', path, how: 'full' }, withinMs))
}
