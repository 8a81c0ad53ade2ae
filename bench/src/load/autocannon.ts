import { runLoadProcess } from './run-load-process.ts'
import type { Load, LoadReport, LoadOptions } from './load.ts'

/**
 * autocannon, where there is no wrk. It stops a timed run with requests in flight, so it is given a number of requests
 * instead, after a short run has told how many fit into the time.
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
