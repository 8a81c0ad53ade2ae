import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { engineOfPrimary, reachPrimary } from './app/workers/worker.ts'
import { runWorkers, workerCount, WorkerStartError } from './app/workers/primary.ts'
import { readConfig, type Config } from './config/config.ts'
import { demoText, ensureDemo } from './app/demo.ts'
import { systemClock } from './foundation/clock.ts'
import { ConfigError } from './config/environment.ts'
import { StartError } from './foundation/data-folder.ts'
import { Failure } from './foundation/failure.ts'
import { createLog, type Log } from './foundation/log.ts'
import type { PeerEvent } from './cluster/peers.ts'
import type { Engine } from './app/engine.ts'
import { openEngine } from './app/open-engine.ts'
import { backgroundJobs, startJobs } from './app/background-jobs.ts'
import { findFreePort, listen, sharedPort, urlOf, type Listeners } from './app/listen.ts'

const graceMs = 25_000

/** Runs the service until it is told to stop. What the operator can fix ends in one line per finding and exit code 1. */
export async function serve(options: { demo: boolean }): Promise<void> {
  try {
    const config = readConfig(undefined, options)
    const log = createLog(config.logLevel, process.stdout.isTTY)
    if (cluster.isWorker) await serveAsWorker(config, log)
    else await serveAsOwner(config, log, options)
  } catch (error) {
    const line = startFault(error)
    if (line !== null) process.stderr.write(`${line}\n`)
    else if (!(error instanceof WorkerStartError)) throw error
    // A pool or a socket may still be open; nothing is lost by leaving them.
    process.exit(1)
  }
}

const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** What keeps the service from starting, in one line, where the operator can do something about it. */
function startFault(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  if (error instanceof Failure && error.code === 'store_unavailable') {
    return `the store cannot be used: ${error.cause instanceof Error ? error.cause.message : error.message}`
  }
  const isDisk = error instanceof Error && 'code' in error && diskCodes.has(String(error.code))
  return isDisk ? `VITAE_DATA_DIR cannot be written: ${error.message}` : null
}

/** The one process of the service, or the one that owns the store and the workers. */
async function serveAsOwner(config: Config, log: Log, { demo }: { demo: boolean }): Promise<void> {
  const onFatal = (error: Error) => {
    log.fatal({ err: error }, 'the store is lost')
    log.flush()
    process.exit(1)
  }
  const serves = workerCount(config.workers) === 1
  const opening = openEngine({ config, log, clock: systemClock, serves, onFatal })
  const [engine] = await Promise.all([opening, serves ? loadService() : null])
  try {
    const demoKeys = demo ? await ensureDemo(engine.folder, engine.store, systemClock) : null
    const listeners = await startServing(config, log, engine, onFatal)
    const { recordsChanged } = listeners
    const jobs = startJobs(
      backgroundJobs({ config, store: engine.store, clock: systemClock, log, recordsChanged }),
      log,
    )
    engine.folder.write(
      'service.json',
      JSON.stringify({ url: listeners.url, public_url: listeners.publicUrl, pid: process.pid }),
    )
    if (demoKeys) process.stdout.write(demoText(demoKeys, listeners.publicUrl))
    else log.info({ url: listeners.url }, 'Vitae is ready')
    stopWithGrace(log, async () => {
      await listeners.close()
      await jobs.stop()
      engine.folder.remove('service.json')
      await engine.close()
    })
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Most of the code of the service. It is asked for early, so that it is loaded while the store's thread opens the store. */
async function loadService() {
  const [{ buildService }] = await Promise.all([import('./app/build-service.ts'), import('./http/app.ts')])
  return buildService
}

interface ServingProcesses extends Listeners {
  /** Forgets hot records in every serving process. */
  recordsChanged: () => Promise<void>
}

type OnFatal = (error: Error) => void

/** Serves in this process, or in as many workers as are configured. */
async function startServing(config: Config, log: Log, engine: Engine, onFatal: OnFatal): Promise<ServingProcesses> {
  const count = workerCount(config.workers)
  if (count > 1) return serveByWorkers(config, log, engine, count)
  const buildService = await loadService()
  const service = await buildService({ config, log, onFatal, engine })
  const listeners = await listen(service, config)
  return {
    ...listeners,
    recordsChanged: () => service.recordsChanged(),
    async close() {
      await listeners.close()
      await service.close()
    },
  }
}

async function serveByWorkers(config: Config, log: Log, engine: Engine, count: number): Promise<ServingProcesses> {
  const { host, adminHost } = config.http
  const port = await findFreePort(host, config.http.port)
  const adminPort = config.http.adminPort === null ? null : await findFreePort(adminHost, config.http.adminPort)
  const workers = await runWorkers({
    engine: engine.kind === 'embedded' ? engine : null,
    count,
    port,
    adminPort,
    clock: systemClock,
    log,
  })
  const publicUrl = urlOf(host, port)
  const url = adminPort === null ? publicUrl : urlOf(adminHost, adminPort)
  const tell = (item: PeerEvent) => (engine.kind === 'embedded' ? workers.tell(item) : engine.peers.tell(item))
  const recordsChanged = () => tell({ topic: 'records', names: [], entityIds: [], all: true })
  return { url, publicUrl, recordsChanged, close: () => workers.stop() }
}

/** One of several serving processes. On the embedded engine it uses the primary's store; on PostgreSQL its own pool. */
async function serveAsWorker(config: Config, log: Log): Promise<void> {
  const onFatal = () => process.exit(1)
  const clock = systemClock
  const primary = reachPrimary()
  const engine = await (config.databaseUrl === null
    ? engineOfPrimary(config, primary)
    : openEngine({ config, log, clock, onFatal }))
  const buildService = await loadService()
  const service = await buildService({ config, log, onFatal, engine })
  primary.showMetrics(service.metricsText)
  // A scrape meets one worker and sees all of them.
  const metricsText = async () => String(await primary.ask({ ask: 'metrics' }))
  const listeners = await listen({ ...service, metricsText }, config, sharedPort)
  await primary.ask({ ask: 'listening' })
  stopWithGrace(log, async () => {
    await listeners.close()
    await service.close()
    await engine.close()
    process.disconnect()
  })
}

function stopWithGrace(log: Log, close: () => Promise<void>): void {
  closeWithGrace({ delay: graceMs, logger: log }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an uncaught error')
    else log.info({ signal }, 'stopping: calls in flight are finished first')
    await close()
    log.flush()
  })
}
