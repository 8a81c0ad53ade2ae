import { runLoadProcess } from './run-load-process.ts'
import type { Load, LoadReport, LoadOptions } from './load.ts'

/**
 * autocannon, the fallback without wrk. It would stop a timed run with requests in flight. So a short run measures the
 * rate, and the real run gets a number of requests.
 */
export function autocannonLoad(cores: string | null): Load {
  const send = (options: LoadOptions, amount: number) =>
    runLoadProcess<LoadReport>('autocannon-process.ts', cores, { ...options, amount })
  return {
    name: 'autocannon',
    async run(options) {
      const trial = await send(options, options.connections * 20)
      const rest = await send(
        options,
        Math.max(options.connections, Math.round(trial.requestsPerSecond * options.seconds)),
      )
      return { ...rest, ok: rest.ok + trial.ok, notOk: rest.notOk + trial.notOk }
    },
  }
}
