import closeWithGrace from 'close-with-grace'
import { watchStrays } from '@vitae/provider'
import { readConfig, type Config } from './config/config.ts'
import type { FixedValues } from './config/fixed-values.ts'
import { loadProviderModules } from './config/load-provider-modules.ts'
import { demoText, ensureDemo } from './app/demo.ts'
import { ConfigError, type EnvFile } from './config/setting-values.ts'
import { StartError, type DataFolder } from './foundation/data-folder.ts'
import { Failure } from './foundation/failure.ts'
import { createLog, type Log } from './foundation/log.ts'
import type { Engine } from './app/deps/engine.ts'
import { openEngine } from './app/open-engine.ts'
import { reading } from './database/sqlite/reader/reports.ts'
import { backgroundJobs, startJobs } from './app/jobs/background-jobs.ts'
import { listen } from './app/listen.ts'

const shortestGraceMs = 25_000
/**
 * A report that is a second from its end is still answered; another minute would use up the time of calls in flight.
 */
const reportGraceMs = 2_000
const serviceFile = 'service.json'

/** Handles unhandled failures until the service itself is running. */
const uncaught = {
  onStray: (provider: string, what: string): void =>
    void process.stderr.write(`Warning: the provider module ${provider} left a failure behind: ${what}\n`),
  onOther(error: unknown): void {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  },
}

export interface ServeOptions {
  demo: boolean
  /** Resumes the batches, watches and webhooks of a restored store. */
  resumeWork?: boolean
  envFile?: EnvFile | null
  /** Other values than the fixed ones, for tests. */
  fixed?: Partial<FixedValues>
}

/**
 * Runs the service until it is stopped. A problem that the operator can fix is printed as one line per finding, with
 * exit code 1.
 */
export async function serve(options: ServeOptions): Promise<void> {
  ignoreBrokenPipes()
  watchStrays({
    onStray: (provider, what) => uncaught.onStray(provider, what),
    onOther: (error) => uncaught.onOther(error),
  })
  try {
    await loadProviderModules()
    const config = readConfig(undefined, options)
    const log = createLog(config.logLevel, process.stdout.isTTY)
    printOrigin(config.origin)
    await serveHere(config, log, options)
  } catch (error) {
    const line = startFault(error)
    if (line === null) throw error
    process.stderr.write(`${line}\n`)
    // A pool or a socket may still be open; nothing is lost by leaving them open.
    process.exit(1)
  }
}

/**
 * The reader of the output may end before the service: that is no reason to stop. Other commands end with their reader,
 * in the middle of their work, but a service must not.
 */
function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => undefined)
}

/** Plain lines, like those of a refused start: neither the log level nor its format hides them. */
function printOrigin({ envFile, warnings }: Config['origin']): void {
  if (envFile !== null)
    process.stderr.write(`Settings are read from ${envFile}; environment variables take precedence.\n`)
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
}

const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** Why the service cannot start, in one line, if the operator can fix it; otherwise null. */
function startFault(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  if (error instanceof Failure && error.code === 'store_unavailable') {
    return `the store cannot be used: ${error.cause instanceof Error ? error.cause.message : error.message}`
  }
  const isDisk = error instanceof Error && 'code' in error && diskCodes.has(String(error.code))
  return isDisk ? `VITAE_DATA_DIR cannot be written: ${error.message}` : null
}

async function serveHere(config: Config, log: Log, { demo, resumeWork = false }: ServeOptions): Promise<void> {
  const onFatal = (error: Error) => {
    log.fatal({ err: error }, 'the store is lost')
    log.flush()
    process.exit(1)
  }
  const [engine, buildService] = await Promise.all([openEngine({ config, log, onFatal, reading }), loadService()])
  const { folder, store, clock } = engine
  try {
    const demoKeys = demo ? await ensureDemo(folder, store, clock) : null
    await resumeOrWait(engine, resumeWork)
    const service = await buildService({ config, log, onFatal, engine, reading })
    const listeners = await listen(service, config)
    service.webhookSender.start()
    const recordsChanged = () => service.recordsChanged()
    const { readTime } = engine
    const jobs = startJobs(backgroundJobs({ config, store, clock, readTime, log, recordsChanged, service }), log)
    await service.batchRunner.start()
    service.exportRunner.start()
    announce(folder, listeners)
    if (demoKeys) process.stdout.write(demoText(demoKeys, listeners.publicUrl, config.upstream))
    else log.info({ url: listeners.url }, 'Vitae is ready')
    const closeAll = async ({ isFault }: { isFault: boolean }) => {
      if (!isFault) await listeners.drain(config.http.drainMs)
      const endReports = setTimeout(() => void engine.endReports?.(), reportGraceMs)
      await listeners.close()
      clearTimeout(endReports)
      await service.close()
      await jobs.stop()
      folder.remove(serviceFile)
      await engine.close()
    }
    stopWithGrace(log, graceMs(config), closeAll)
    uncaught.onStray = (provider, what) => service.strayFailure(provider, what)
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** In a restored store no background work resumes by itself; a plain line says so, which no log level hides. */
async function resumeOrWait({ store, clock }: Engine, resumeWork: boolean): Promise<void> {
  if (resumeWork) await store.upkeep.resumeWork({ at: clock.now(), actor: 'owner' })
  else if (await store.upkeep.workStopped(null)) process.stderr.write(`${stoppedWork}\n`)
}

const stoppedWork =
  'This store was restored from a backup: its batches, watches and webhooks are stopped. Once the original service has ended, start with "vitae serve --resume-work", or resume them in the console (Operations, Backups).'

/** Most of the service's code. It is imported early, so that it loads while the store's thread opens the store. */
async function loadService() {
  const [{ buildService }] = await Promise.all([import('./app/build-service.ts'), import('./http/app.ts')])
  return buildService
}

/** Tells the command line the address of the service. */
function announce(folder: DataFolder, { url, publicUrl }: { url: string; publicUrl: string }): void {
  folder.write(serviceFile, JSON.stringify({ url, public_url: publicUrl, pid: process.pid }))
}

/** How long a stop may take: the longest call in flight when the listeners close can still end. */
function graceMs({ http: { drainMs }, upstream: { totalTimeoutMs } }: Config): number {
  return drainMs + Math.max(shortestGraceMs, totalTimeoutMs + 5_000)
}

/** Closes on a signal or an uncaught error. */
function stopWithGrace(log: Log, delay: number, close: (how: { isFault: boolean }) => Promise<void>): void {
  let isStopping = false
  let fault: { error: unknown } | null = null
  const grace = closeWithGrace(
    { delay, logger: log, skip: ['unhandledRejection', 'uncaughtException'] },
    async ({ signal }) => {
      isStopping = true
      if (fault) log.error({ err: fault.error }, 'stopping after an uncaught error')
      else log.info({ signal }, 'stopping: calls in flight are finished first')
      await close({ isFault: fault !== null })
      log.flush()
      if (fault) process.exit(1)
    },
  )
  uncaught.onOther = (error) => {
    if (isStopping) {
      log.error({ err: error }, 'an uncaught error while stopping: exiting')
      log.flush()
      process.exit(1)
    }
    fault = { error }
    grace.close()
  }
}
