import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { StartError } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import type { buildApp, Surface } from '../http/app.ts'
import { draining } from '../http/lookup/fast-path.ts'
import type { Service } from './build-service.ts'

/** Reserved for files, the store, Redis and providers: a quarter of what the process may open, at most this many. */
const reservedFiles = 1_024
const reportEveryMs = 60_000
const sweepMs = 50

/** The open listeners. `url` is the admin API; callers use `publicUrl`, which is often the same. */
export interface Listeners {
  url: string
  publicUrl: string
  /**
   * Accepts calls for this long while /readyz reports not ready, so that proxies send the next ones elsewhere. Each
   * answer closes its connection: when the listeners close, few are left that a proxy could be about to use.
   */
  drain(ms: number): Promise<void>
  close(): Promise<void>
}

/** Opens the ports: one for all, or one for callers and one for operators. */
export async function listen(built: Service, config: Config): Promise<Listeners> {
  const { host, port, adminHost, adminPort } = config.http
  let isDraining = false
  const service: Service = {
    ...built,
    async readiness() {
      const { ready, checks } = await built.readiness()
      return isDraining ? { ready: false, checks: { ...checks, draining: true } } : { ready, checks }
    },
  }
  const drain = async (ms: number, servers: readonly Server[]) => {
    if (ms === 0) return
    isDraining = true
    for (const server of servers) server.emit(draining)
    await pause(ms)
  }
  if (adminPort === null) {
    const all = await open(service, 'both', { host, port })
    return { url: all.url, publicUrl: all.url, drain: (ms) => drain(ms, [all.server]), close: all.close }
  }
  const callers = await open(service, 'callers', { host, port })
  const operators = await open(service, 'operators', { host: adminHost, port: adminPort }).catch(
    async (error: unknown) => {
      await callers.close()
      throw error
    },
  )
  return {
    url: operators.url,
    publicUrl: callers.url,
    drain: (ms) => drain(ms, [callers.server, operators.server]),
    async close() {
      await Promise.all([callers.close(), operators.close()])
    },
  }
}

async function open(service: Service, surface: Surface, at: { host: string; port: number }) {
  const { host, port } = at
  // Not loaded with this file: it loads while the store opens.
  const { buildApp } = await import('../http/app.ts')
  const app = await buildApp(service, surface)
  try {
    await app.listen({ ...at, backlog: 4_096, listenTextResolver: () => 'listening' })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  limitConnections(app.server, service.log)
  const address = app.server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  const close = () => {
    service.batches.uploads.stop()
    return closeListener(app)
  }
  return { url: urlOf(host, boundPort), server: app.server, close }
}

/**
 * Closes connections beyond the limit, and logs it once a minute. Without a limit they would fill the table of open
 * files, and the store, Redis and the providers could open none.
 */
function limitConnections(server: Server, log: Log): void {
  const files = openFilesLimit()
  if (files !== null) server.maxConnections = files - Math.min(reservedFiles, Math.ceil(files / 4))
  let refused = 0
  let pause: NodeJS.Timeout | null = null
  const report = () => {
    pause = null
    if (refused === 0) return
    log.warn({ refused, limit: files }, 'refused connections: too many files and connections are open')
    refused = 0
    pause = setTimeout(report, reportEveryMs).unref()
  }
  const refuse = () => {
    refused++
    if (pause === null) report()
  }
  server.on('drop', refuse)
  // A failed accept, as with a full table, is an error event; without a listener it would end the process.
  server.on('error', refuse)
  server.once('close', () => pause && clearTimeout(pause))
}

/** The maximum number of files and connections of this process; null if the system does not report it. */
function openFilesLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}

/**
 * Finishes the calls in flight. A connection that becomes idle after the last of them would keep the server open until
 * its client closes it, so such connections are closed as they appear.
 */
async function closeListener(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
  }
}

/** Why an address cannot be listened on, in words for the operator; any other error is returned unchanged. */
function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE')
    return new StartError(`PORT ${port} on ${host} is in use by another program: stop it, or choose another PORT`)
  if (code === 'EACCES') return new StartError(`PORT ${port} may not be opened by this user: choose one above 1023`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(String(code)))
    return new StartError(`HOST ${host} is not an address of this machine`)
  return error
}

/** The address as a URL; a service on all interfaces is reached from here by loopback. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
