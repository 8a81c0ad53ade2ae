import processes from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import type { Question } from '../../../src/database/sqlite/reader/reader-process.ts'
import { searchFreeSpace } from '../../../src/database/sqlite/reader/search-free-space.ts'

/**
 * The reader of the store's file is no process of its own, for good: to start one takes as long as a seed. The locks that it has one for
 * keep other processes out, and here are none.
 */
export function ownReader(): void {
  Object.assign(processes, { fork: () => new SimulatedReader() })
  syncBuiltinESMExports()
}

/** As much of a process as `reader.ts` uses. */
class SimulatedReader extends EventEmitter {
  readonly connected = true
  readonly killed = false
  readonly signalCode = null
  readonly channel = { ref: () => undefined, unref: () => undefined }

  ref(): void {}
  unref(): void {}
  kill(): boolean {
    return true
  }

  send(question: Question): void {
    void this.#answer(question)
  }

  async #answer(question: Question): Promise<void> {
    const reply = await answerTo(question).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: String(error) }),
    )
    this.emit('message', reply)
  }
}

async function answerTo(question: Question): Promise<unknown> {
  if (question.kind === 'search') return searchFreeSpace(question)
  // No power is cut here.
  if (question.kind === 'sync') return null
  throw new Error(`nobody answers ${question.kind} here`)
}
