import processes from 'node:child_process'
import { EventEmitter } from 'node:events'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Question } from '../../../src/database/sqlite/reader/reader-process.ts'

/**
 * Replaces disk checks permanently: the disk always has room, because a real check uses a thread that every step would
 * wait for. The reader of the store's file runs in this process, because starting one takes as long as a seed. Its file
 * locks protect only against other processes.
 */
export function ownDisk(): void {
  const room = { bavail: 2 ** 30, bsize: 4_096, blocks: 2 ** 30 }
  Object.assign(files, { statfs: async () => room })
  Object.assign(processes, { fork: () => new SimulatedReader() })
  syncBuiltinESMExports()
}

/** The part of a process that `reader.ts` uses. */
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
    // Loaded with the product, after time and randomness are replaced.
    const { searchFreeSpace } = await import('../../../src/database/sqlite/reader/search-free-space.ts')
    return searchFreeSpace(question)
  }
  // The simulation cuts no power.
  if (question.kind === 'sync') return null
  throw new Error(`nobody answers ${question.kind} here`)
}
