/** Runs the tests of a subject against one mutant after another in one thread, and loads the code again for each. */
import type { InstrumenterContext } from '@stryker-mutator/api/core'
import { TestStatus, type TestResult } from '@stryker-mutator/api/test-runner'
import fc from 'fast-check'
import { on } from 'node:events'
import { join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { channelName, type FromSession, type RunReply, type RunRequest, type ToSession } from './session-messages.ts'
import type { RegisteredTest, Suite } from './test-registry.ts'

// A fixed seed makes a score repeatable. A mutant is killed by its first failure, without shrinking the counterexample.
fc.configureGlobal({ seed: 20_261_116, endOnFailure: true })

const files: readonly string[] = JSON.parse(process.env['MUTATION_TESTS'] ?? '[]')
/** The state that the instrumented code reads: the active mutant, and the coverage counters. */
const instrumented = ((globalThis as { __stryker__?: Partial<InstrumenterContext> }).__stryker__ ??= {})

test('every request is answered until the session ends', async () => {
  const channel = new BroadcastChannel(channelName)
  expect(await answerAll(channel, (message) => channel.postMessage(message))).toBe('end')
  channel.close()
})

async function answerAll(channel: BroadcastChannel, tell: (message: FromSession) => void): Promise<ToSession | null> {
  const messages = on(channel, 'message')
  tell('ready')
  for await (const [{ data }] of messages) {
    const request: ToSession = data
    if (request === 'end') return request
    tell(await run(request).catch((error: unknown) => ({ failed: String(error) })))
  }
  return null
}

async function run({ mutant, whileLoading, tests: wanted }: RunRequest): Promise<RunReply> {
  const nothing = { activeMutant: undefined, mutantCoverage: undefined }
  Object.assign(instrumented, nothing, whileLoading && { activeMutant: mutant })
  const all = await load()
  const chosen = wanted === undefined ? all : all.filter(({ id }) => wanted.includes(id))
  Object.assign(instrumented, { activeMutant: mutant })
  const results: TestResult[] = []
  const open = new Set<Suite>()
  for (const each of chosen) {
    const result = await resultOf(each, open)
    results.push(result)
    if (mutant !== undefined && result.status === TestStatus.Failed) break
  }
  const { mutantCoverage: coverage } = instrumented
  Object.assign(instrumented, nothing)
  await runAll([...open].flatMap((suite) => suite.after))
  return { tests: results, ...(coverage && { coverage }) }
}

/** A module keeps state that a mutant wrote into it, so none is reused. */
async function load(): Promise<readonly RegisteredTest[]> {
  vi.resetModules()
  const { addFile, tests } = await import('./test-registry.ts')
  for (const file of files) await addFile(file, () => import(/* @vite-ignore */ join(process.cwd(), file)))
  return tests
}

async function resultOf({ id, name, body, suites }: RegisteredTest, open: Set<Suite>): Promise<TestResult> {
  const startedAt = performance.now()
  const told = () => ({ id, name, timeSpentMs: performance.now() - startedAt })
  instrumented.currentTestId = id
  try {
    for (const suite of suites.filter((each) => !open.has(each))) {
      open.add(suite)
      for (const hook of suite.before) await hook()
    }
    for (const suite of suites) for (const hook of suite.beforeEach) await hook()
    await body()
    return { ...told(), status: TestStatus.Success }
  } catch (error) {
    return { ...told(), status: TestStatus.Failed, failureMessage: String(error) }
  } finally {
    await runAll(suites.toReversed().flatMap((suite) => suite.afterEach))
    delete instrumented.currentTestId
  }
}

/** Runs cleanup hooks, even if a mutant prevented the setup of what they clean up. */
async function runAll(hooks: readonly (() => unknown)[]): Promise<void> {
  for (const hook of hooks) await new Promise((resolve) => resolve(hook())).catch(() => null)
}
