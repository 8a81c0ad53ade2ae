import { setImmediate as nextTurn } from 'node:timers/promises'

const crowd = 16
const turnsAtMost = 16
const waitsAtMost = 2

interface Options {
  maxBatch?: number
  /** What is asked for in one go, before any promise is looked at, belongs together. */
  inOneGo?: boolean
  /** Resolves when those who are known to be on their way here have come as far as they can; null where there are none. */
  arriving?: () => Promise<unknown> | null
}

/**
 * Group commit: one batch is in flight at a time, and all that arrives meanwhile forms the next one.
 * `flush` answers its requests in order; when it throws, every request of that batch gets the error.
 */
export function createBatcher<Request, Result>(
  flush: (requests: Request[]) => Promise<Result[]>,
  { maxBatch = 1_000, inOneGo = false, arriving = () => null }: Options = {},
): (request: Request) => Promise<Result> {
  interface Entry {
    request: Request
    resolve(result: Result): void
    reject(error: unknown): void
  }
  let pending: Entry[] = []
  let running = false
  let lastSize = 0

  async function run(): Promise<void> {
    running = true
    while (pending.length > 0) {
      if (inOneGo) await Promise.resolve()
      else if (lastSize >= crowd) await gather()
      const batch = pending.length > maxBatch ? pending.splice(0, maxBatch) : pending
      if (batch === pending) pending = []
      lastSize = batch.length
      try {
        const results = await flush(batch.map((entry) => entry.request))
        for (const [index, entry] of batch.entries()) {
          const result = results[index]
          if (result === undefined) entry.reject(new Error('a batch answered fewer requests than it was given'))
          else entry.resolve(result)
        }
      } catch (error) {
        for (const entry of batch) entry.reject(error)
      }
    }
    running = false
  }

  /**
   * In a crowd, those who have just been answered are back at once: a batch that waits for them, as long as every turn of
   * the loop brings some or some are known to arrive, is twice as large and costs little more. Without a crowd nobody is
   * waited for.
   */
  async function gather(): Promise<void> {
    let before = 0
    let waits = 0
    for (let turns = 0; turns < turnsAtMost; turns++) {
      const others = waits < waitsAtMost ? arriving() : null
      if (!others && pending.length <= before) return
      before = pending.length
      if (others) waits += 1
      await others
      await nextTurn()
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      pending.push({ request, resolve, reject })
      if (!running) void run()
    })
}
