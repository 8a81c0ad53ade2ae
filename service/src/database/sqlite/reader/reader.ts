import { fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../../foundation/failure.ts'
import { moduleUrl } from '../../../foundation/module-url.ts'
import { apartFromCopies } from '../copy-sqlite.ts'
import type { Answers, Question, ReaderReply } from './reader-process.ts'

/**
 * Asks a process of its own about a file of a store. The serving process must not open these files but through SQLite: POSIX
 * drops all locks of a process on a file as soon as it closes any descriptor of that file, and then an outside program
 * takes the log away under the service. It can also be ended, which the engine's own check cannot; null where its time, if
 * it has a limit, was too short.
 */
export async function askReader<Kind extends Question['kind']>(
  question: Extract<Question, { kind: Kind }>,
  withinMs: number | null = null,
): Promise<Answers[Kind] | null> {
  const script = fileURLToPath(moduleUrl('./reader-process', import.meta.url))
  // Bytes travel as bytes.
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc']
  const child = fork(script, [], { execArgv: [], serialization: 'advanced', stdio })
  let late = false
  const timer = withinMs === null ? undefined : setTimeout(() => (late = child.kill('SIGKILL')), withinMs)
  try {
    const reply = await new Promise<ReaderReply>((resolve, reject) => {
      child.once('message', (message) => resolve(message as ReaderReply))
      child.once('error', reject)
      child.once('exit', (code, signal) => reject(new Error(`the reader ended early (${signal ?? code})`)))
      child.send(question, (error) => error && reject(error))
    })
    if ('error' in reply) throw new Error(reply.error)
    return reply.answer as Answers[Kind]
  } catch (error) {
    if (late) return null
    throw new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/**
 * What the engine finds wrong with the file of a store that may be in use: every page is read. Empty where it is sound, null
 * where the time was too short.
 */
export function checkFile(path: string, withinMs: number | null): Promise<string[] | null> {
  return apartFromCopies(() => askReader({ kind: 'check', path }, withinMs))
}
