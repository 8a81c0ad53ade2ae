import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/foundation/log.ts'
import { Runner, type Work } from '../../src/work/runner.ts'

/** Longer than any test, for timers that a test does not wait for. */
const neverMs = 3_600_000

function startRunner(work: Partial<Work<string>> & Pick<Work<string>, 'claim' | 'run'>): Runner<string> {
  const runner = new Runner(
    { name: 'test', everyMs: neverMs, keyOf: (item) => item, ...work },
    createLog('silent', false),
  )
  onTestFinished(() => runner.close())
  runner.start()
  return runner
}

test('an item whose lease is lost is told to stop, and the others continue', async () => {
  const signals = new Map<string, AbortSignal>()
  const runner = startRunner({
    claim: async (inProgress) => (inProgress.length > 0 ? [] : ['lost', 'kept']),
    run: (item, stop) => {
      signals.set(item, stop)
      return new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
    },
    renew: { everyMs: 5, keep: async () => ['kept'] },
  })

  runner.wake()

  await expect.poll(() => signals.get('lost')?.aborted).toBe(true)
  expect(signals.get('kept')?.aborted).toBe(false)
})

test('an item that is due again while it is in progress runs once more', async () => {
  const begun: string[] = []
  const [end, isDueAgain] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let claims = 0
  const claim = async () => {
    if ((claims += 1) === 2) isDueAgain.resolve()
    return claims <= 2 ? ['one'] : []
  }
  const run = async (item: string) => {
    begun.push(item)
    if (begun.length === 1) await end.promise
  }
  const runner = startRunner({ claim, run })
  const all = runner.once()
  await expect.poll(() => begun).toEqual(['one'])

  runner.wake()
  await isDueAgain.promise
  await nextTurn()
  end.resolve()
  await all

  expect(begun).toEqual(['one', 'one'])
})

test('a wake-up during a claim causes another claim, which finds what was written meanwhile', async () => {
  const ran: string[] = []
  const due: string[] = []
  const reading = Promise.withResolvers<void>()
  let claims = 0
  const claim = async () => {
    const found = due.splice(0)
    if ((claims += 1) === 1) await reading.promise
    return found
  }
  const runner = startRunner({ claim, run: async (item) => void ran.push(item) })
  const all = runner.once()

  due.push('written meanwhile')
  runner.wake()
  reading.resolve()
  await all

  expect(ran).toEqual(['written meanwhile'])
})

test('after a failure the other items continue, and the failed one runs again at the next claim', async () => {
  const ran: string[] = []
  const runner = startRunner({
    claim: async () => (ran.length < 3 ? ['fails', 'works'] : []),
    run: async (item) => {
      ran.push(item)
      if (item === 'fails') throw new Error('no')
    },
  })

  await runner.once()
  await runner.once()

  expect(ran).toEqual(['fails', 'works', 'fails', 'works'])
})
