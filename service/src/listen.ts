import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from './config.ts'
import { StartError } from './foundation/data-folder.ts'
import { buildApp, type Surface } from './http/app.ts'
import type { House } from './house.ts'

/** The open doors. `url` is where the admin API is; callers find theirs at `publicUrl`, which is often the same. */
export interface Doors {
  url: string
  publicUrl: string
  close(): Promise<void>
}

/** Opens the doors to the network: one port for all, or one for callers and one for operators. */
export async function listen(house: House, config: Config, share: Sharing = {}): Promise<Doors> {
  const { host, port, adminHost, adminPort } = config.http
  if (adminPort === null) {
    const all = await open(house, 'both', { host, port, ...share })
    return { ...all, publicUrl: all.url }
  }
  const callers = await open(house, 'callers', { host, port, ...share })
  const operators = await open(house, 'operators', { host: adminHost, port: adminPort, ...share }).catch(
    async (error: unknown) => {
      await callers.close()
      throw error
    },
  )
  return {
    url: operators.url,
    publicUrl: callers.url,
    async close() {
      await Promise.all([callers.close(), operators.close()])
    },
  }
}

/** How several processes listen on one port: each by itself where the kernel can divide the connections between them. */
interface Sharing {
  reusePort?: boolean
  exclusive?: boolean
}
export const sharedPort: Sharing = process.platform === 'linux' ? { reusePort: true, exclusive: true } : {}

/**
 * Finds out that nobody listens there, which processes that share a port would not notice, and gives the port: a free
 * one for 0.
 */
export async function findFreePort(host: string, port: number): Promise<number> {
  const server = createServer()
  const opened = once(server, 'listening')
  server.listen({ host, port, exclusive: true })
  try {
    await opened
  } catch (error) {
    throw listenError(error, host, port)
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : port
}

async function open(house: House, surface: Surface, at: Sharing & { host: string; port: number }) {
  const { host, port } = at
  const app = await buildApp(house, surface)
  try {
    await app.listen({ ...at, backlog: 4_096, listenTextResolver: () => 'doors open' })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  const address = app.server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  return { url: urlOf(host, boundPort), close: () => closeDoors(app) }
}

const sweepMs = 50

/**
 * Finishes the calls in flight. A connection that falls idle with the last of them would hold the doors open until its
 * client lets go of it, so such connections are closed as they appear.
 */
async function closeDoors(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE')
    return new StartError(`PORT ${port} on ${host} is in use by another program: stop it, or choose another PORT`)
  if (code === 'EACCES') return new StartError(`PORT ${port} may not be opened by this user: choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`HOST ${host} is not an address of this machine`)
  return error
}

/** The address as a URL; a service on all interfaces is reached from here by loopback. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
