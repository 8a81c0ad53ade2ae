import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../process/free-port.ts'
import type { Bench } from '../bench.ts'
import { launchVitae } from '../contestants/vitae.ts'
import { RawConnection } from '../load/raw-connection.ts'
import { spread } from '../report/spread.ts'
import type { Store } from '../stores/stores.ts'
import { storeSizes } from './growth.ts'
import type { Scenario } from './scenario.ts'

const promisedMs = 500
const measure = 'first answer ms'

/** The time from the start of the process to the first paid answer, on stores of several sizes. */
export const start: Scenario = {
  name: 'start',
  title: 'Process start to first answer, on an existing store',
  async run(bench) {
    const stores: Store[] = []
    for (const records of storeSizes(bench.options)) stores.push(await bench.stores.embedded(records))
    const times = new Map<Store, number[]>(stores.map((store) => [store, []]))
    // The first start of a checkout fills the compile cache, so it is not counted.
    for (const store of stores) await timeStart(bench, store)
    for (let round = 0; round < Math.max(bench.options.rounds, bench.options.quick ? 1 : 10); round++) {
      for (const store of stores) times.get(store)?.push(await timeStart(bench, store))
    }
    const rows = stores.map((store) => ({
      name: `vitae-live, ${store.records.toLocaleString('en-US')}`,
      measures: { [measure]: spread(times.get(store) ?? []) },
    }))
    const verdicts = rows.map(({ name, measures }) => ({
      claim: `first answer, ${name}`,
      wanted: `within ${promisedMs} ms`,
      got: `${Math.round(measures[measure]?.median ?? NaN)} ms`,
      met: (measures[measure]?.median ?? Infinity) <= promisedMs,
    }))
    return { rows, ratios: [], billing: [], verdicts, notes: [], shown: measure }
  },
}

async function timeStart(bench: Bench, store: Store): Promise<number> {
  const port = await freePort()
  const startedAt = performance.now()
  const service = launchVitae({ name: 'vitae-live', store, cores: bench.cores.every }, port)
  try {
    await Promise.race([firstAnswer(port, store.liveKeys[0] ?? ''), service.died])
    return performance.now() - startedAt
  } finally {
    await service.stop()
  }
}

async function firstAnswer(port: number, key: string): Promise<void> {
  const request = `GET /v1/people/profile?profile_id=p0000000 HTTP/1.1\r\nHost: bench\r\nApiKey: ${key}\r\n\r\n`
  for (;;) {
    try {
      const connection = await RawConnection.open(`http://127.0.0.1:${port}`)
      const { status } = await connection.send(request)
      connection.close()
      if (status === 200) return
    } catch {
      // The port is not open yet.
    }
    await pause(1)
  }
}
