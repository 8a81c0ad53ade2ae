import { runLoadProcess } from './run-load-process.ts'
import type { Load, LoadReport, LoadWish } from './load.ts'

/**
 * autocannon, where there is no wrk. It stops a timed run with requests in flight, so it is given a number of requests
 * instead, after a short run has told how many fit into the time.
 */
export function autocannonLoad(cores: string | null): Load {
  const send = (wish: LoadWish, amount: number) =>
    runLoadProcess<LoadReport>('autocannon-process.ts', cores, { ...wish, amount })
  return {
    name: 'autocannon',
    async run(wish) {
      const trial = await send(wish, wish.connections * 20)
      const rest = await send(wish, Math.max(wish.connections, Math.round(trial.requestsPerSecond * wish.seconds)))
      return { ...rest, ok: rest.ok + trial.ok, notOk: rest.notOk + trial.notOk }
    },
  }
}
