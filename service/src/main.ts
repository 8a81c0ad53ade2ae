import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { groundOfPrimary, reachPrimary } from './app/workers/worker.ts'
import { runWorkers, workerCount, WorkerStartError } from './app/workers/primary.ts'
import { readConfig, type Config } from './config/config.ts'
import { demoText, ensureDemo } from './app/demo.ts'
import { systemClock } from './foundation/clock.ts'
import { limitHeap } from './foundation/heap-limits.ts'
import { ConfigError } from './config/environment.ts'
import { StartError } from './foundation/data-folder.ts'
import { createLog, type Log } from './foundation/log.ts'
import type { NewsItem } from './cluster/peers.ts'
import { openGround, type Ground } from './app/open-engine.ts'
import { houseJobs, startJobs } from './app/background-jobs.ts'
import type { Doors } from './app/listen.ts'
import { findFreePort, sharedPort, urlOf } from './app/listen-address.ts'

const graceMs = 25_000

/** Runs the service until it is told to stop. Whatever the operator can mend ends in one line per finding and exit code 1. */
export async function serve(options: { demo: boolean }): Promise<void> {
  try {
    const config = readConfig()
    limitHeap(config.cacheBytes)
    const log = createLog(config.logLevel, process.stdout.isTTY)
    if (cluster.isWorker) await serveAsWorker(config, log)
    else await serveAsOwner(config, log, options)
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StartError) process.stderr.write(`${error.message}\n`)
    else if (!(error instanceof WorkerStartError)) throw error
    // A pool or a socket may still be open; nothing is lost by leaving them.
    process.exit(1)
  }
}

/** The one process of the service, or the one that owns the store and the workers. */
async function serveAsOwner(config: Config, log: Log, { demo }: { demo: boolean }): Promise<void> {
  const onFatal = (error: Error) => {
    log.fatal({ err: error }, 'the store is lost')
    log.flush()
    process.exit(1)
  }
  const serves = workerCount(config.workers) === 1
  const opening = openGround({ config, log, clock: systemClock, serves, onFatal })
  const [ground] = await Promise.all([opening, serves ? loadHouse() : null])
  try {
    const demoKeys = demo ? await ensureDemo(ground.folder, ground.store, systemClock) : null
    const doors = await openDoors(config, log, ground, onFatal)
    const { recordsChanged } = doors
    const jobs = startJobs(houseJobs({ config, store: ground.store, clock: systemClock, log, recordsChanged }), log)
    ground.folder.write(
      'service.json',
      JSON.stringify({ url: doors.url, public_url: doors.publicUrl, pid: process.pid }),
    )
    if (demoKeys) process.stdout.write(demoText(demoKeys, doors.publicUrl))
    else log.info({ url: doors.url }, 'Vitae is ready')
    stopWithGrace(log, async () => {
      await doors.close()
      await jobs.stop()
      ground.folder.remove('service.json')
      await ground.close()
    })
  } catch (error) {
    await ground.close()
    throw error
  }
}

/** Most of the code of the service. It is asked for early, so that it is loaded while the store's thread opens the store. */
async function loadHouse() {
  const [{ openHouse }, { listen }] = await Promise.all([import('./app/build-service.ts'), import('./app/listen.ts')])
  return { openHouse, listen }
}

interface OpenDoors extends Doors {
  /** Forgets hot records in every serving process. */
  recordsChanged: () => Promise<void>
}

/** Serves in this process, or in as many workers as are wished for. */
async function openDoors(
  config: Config,
  log: Log,
  ground: Ground,
  onFatal: (error: Error) => void,
): Promise<OpenDoors> {
  const count = workerCount(config.workers)
  if (count > 1) {
    const { host, adminHost } = config.http
    const port = await findFreePort(host, config.http.port)
    const adminPort = config.http.adminPort === null ? null : await findFreePort(adminHost, config.http.adminPort)
    const workers = await runWorkers({
      ground: ground.engine === 'embedded' ? ground : null,
      count,
      port,
      adminPort,
      clock: systemClock,
      log,
    })
    const publicUrl = urlOf(host, port)
    const url = adminPort === null ? publicUrl : urlOf(adminHost, adminPort)
    const tell = (item: NewsItem) => (ground.engine === 'embedded' ? workers.tell(item) : ground.neighbours.tell(item))
    const recordsChanged = () => tell({ topic: 'records', names: [], entityIds: [], all: true })
    return { url, publicUrl, recordsChanged, close: () => workers.stop() }
  }
  const { openHouse, listen } = await loadHouse()
  const house = await openHouse({ config, log, onFatal, ground })
  const doors = await listen(house, config)
  return {
    ...doors,
    recordsChanged: () => house.recordsChanged(),
    async close() {
      await doors.close()
      await house.close()
    },
  }
}

/** One of several serving processes. On the embedded engine it stands on the primary's store; on PostgreSQL on its own pool. */
async function serveAsWorker(config: Config, log: Log): Promise<void> {
  const onFatal = () => process.exit(1)
  const clock = systemClock
  const primary = reachPrimary()
  const ground = await (config.databaseUrl === null
    ? groundOfPrimary(config, primary)
    : openGround({ config, log, clock, onFatal }))
  const { openHouse, listen } = await loadHouse()
  const house = await openHouse({ config, log, onFatal, ground })
  primary.showMetrics(house.metricsText)
  // A scrape meets one worker and sees all of them.
  const metricsText = async () => String(await primary.ask({ ask: 'metrics' }))
  const doors = await listen({ ...house, metricsText }, config, sharedPort)
  await primary.ask({ ask: 'listening' })
  stopWithGrace(log, async () => {
    await doors.close()
    await house.close()
    await ground.close()
    process.disconnect()
  })
}

function stopWithGrace(log: Log, close: () => Promise<void>): void {
  closeWithGrace({ delay: graceMs, logger: log }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an error that nobody caught')
    else log.info({ signal }, 'stopping: calls in flight are finished first')
    await close()
    log.flush()
  })
}
