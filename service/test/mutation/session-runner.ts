/**
 * A test runner for Stryker that starts Vitest once for all mutants. Stryker's own starts it for each mutant, which
 * takes ten times as long as the tests.
 */
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  DryRunStatus,
  MutantRunStatus,
  toMutantRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner'
import { once } from 'node:events'
import { BroadcastChannel } from 'node:worker_threads'
import { createVitest, type Vitest } from 'vitest/node'
import { channelName, type FromSession, type RunReply, type RunRequest, type ToSession } from './session-messages.ts'

class SessionRunner implements TestRunner {
  readonly #channel = new BroadcastChannel(channelName)
  #vitest: Vitest | undefined
  #ended: Promise<unknown> = Promise.resolve()

  /** The session loads the code again for every mutant. */
  capabilities() {
    return { reloadEnvironment: true }
  }

  async init(): Promise<void> {
    const config = 'service/test/mutation/vitest.config.ts'
    this.#vitest = await createVitest('test', { config, watch: false, maxWorkers: 1, reporters: [{}] })
    this.#ended = this.#vitest.start()
    await this.#answer()
  }

  async dryRun(): Promise<DryRunResult> {
    const reply = await this.#run({})
    if ('failed' in reply) return { status: DryRunStatus.Error, errorMessage: reply.failed }
    const { tests, coverage } = reply
    return { status: DryRunStatus.Complete, tests, ...(coverage && { mutantCoverage: coverage }) }
  }

  /** Without Stryker's hit limit: a mutant that disables a cache is reached often, but ends. */
  async mutantRun({ activeMutant, mutantActivation, testFilter }: MutantRunOptions): Promise<MutantRunResult> {
    const whileLoading = mutantActivation === 'static'
    const reply = await this.#run({ mutant: activeMutant.id, whileLoading, ...(testFilter && { tests: testFilter }) })
    if ('failed' in reply) return { status: MutantRunStatus.Error, errorMessage: reply.failed }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: reply.tests })
  }

  async dispose(): Promise<void> {
    this.#tell('end')
    await this.#ended
    await this.#vitest?.close()
    this.#channel.close()
  }

  async #run(request: RunRequest): Promise<RunReply | { failed: string }> {
    const answer = this.#answer()
    this.#tell(request)
    const reply = await answer
    if (reply === 'ready') throw new Error('the session began once more')
    return reply
  }

  #tell(message: ToSession): void {
    this.#channel.postMessage(message)
  }

  /** The next message of the session. Rejects if the session ends before it. */
  async #answer(): Promise<FromSession> {
    const ended = this.#ended.then(() => {
      const errors = this.#vitest?.state
        .getFiles()
        .flatMap(({ result, tasks }) => [result, ...tasks.map((task) => task.result)])
      throw new Error(`the session ended: ${JSON.stringify(errors)}`)
    })
    const [{ data }] = await Promise.race([once(this.#channel, 'message'), ended])
    return data
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mutant-session', SessionRunner)]
