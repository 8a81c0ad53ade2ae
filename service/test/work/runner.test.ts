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

/** Items that run until they are told to end. */
function gated() {
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const begun: string[] = []
  const run = (item: string) => {
    begun.push(item)
    const end = Promise.withResolvers<void>()
    ends.set(item, end)
    return end.promise
  }
  return { begun, run, end: (item: string) => ends.get(item)?.resolve() }
}

test('an item whose lease is lost is told to stop, and the others continue', async () => {
  const stopped = Promise.withResolvers<string>()
  const signals = new Map<string, AbortSignal>()
  const runner = startRunner({
    claim: async (inProgress) => (inProgress.length > 0 ? [] : ['lost', 'kept']),
    run: (item, stop) => {
      signals.set(item, stop)
      return new Promise<void>((resolve) =>
        stop.addEventListener('abort', () => {
          stopped.resolve(item)
          resolve()
        }),
      )
    },
    renew: { everyMs: 5, keep: async () => ['kept'] },
  })

  runner.wake()

  expect(await stopped.promise).toBe('lost')
  expect(signals.get('kept')?.aborted).toBe(false)
})

test('an item that is due again while it is in progress runs once more', async () => {
  const { begun, run, end } = gated()
  const runner = startRunner({ claim: async () => (begun.length < 2 ? ['one'] : []), run })
  runner.wake()
  await expect.poll(() => begun).toEqual(['one'])

  runner.wake()
  await Promise.resolve()
  end('one')

  await expect.poll(() => begun).toEqual(['one', 'one'])
  end('one')
})

test('a wake-up during a claim causes another claim, which finds what was written meanwhile', async () => {
  const { begun, run, end } = gated()
  const due: string[] = []
  const reading = Promise.withResolvers<void>()
  let claims = 0
  const claim = async () => {
    const found = due.splice(0)
    if ((claims += 1) === 1) await reading.promise
    return found
  }
  const runner = startRunner({ claim, run })
  runner.wake()

  due.push('written meanwhile')
  runner.wake()
  reading.resolve()

  await expect.poll(() => begun).toEqual(['written meanwhile'])
  end('written meanwhile')
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
