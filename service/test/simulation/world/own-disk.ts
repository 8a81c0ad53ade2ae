import processes from 'node:child_process'
import { EventEmitter } from 'node:events'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Question } from '../../../src/database/sqlite/reader/reader-process.ts'

/**
 * The disk has room, for good: asking it takes a thread, for which every step would wait. The reader of the store's file is no process of its own:
 * to start one takes as long as a seed. The locks that it has one for keep other processes out, and here are none.
 */
export function ownDisk(): void {
  const room = { bavail: 2 ** 30, bsize: 4_096, blocks: 2 ** 30 }
  Object.assign(files, { statfs: async () => room })
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
  if (question.kind === 'search') {
    // Loaded with the product, after time and chance are the scheduler's.
    const { searchFreeSpace } = await import('../../../src/database/sqlite/reader/search-free-space.ts')
    return searchFreeSpace(question)
  }
  // No power is cut here.
  if (question.kind === 'sync') return null
  throw new Error(`nobody answers ${question.kind} here`)
}
