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
export async function listen(house: House, config: Config): Promise<Doors> {
  const { host, port, adminHost, adminPort } = config.http
  if (adminPort === null) {
    const all = await open(house, 'both', host, port)
    return { ...all, publicUrl: all.url }
  }
  const callers = await open(house, 'callers', host, port)
  const operators = await open(house, 'operators', adminHost, adminPort).catch(async (error: unknown) => {
    await callers.close()
    throw error
  })
  return {
    url: operators.url,
    publicUrl: callers.url,
    async close() {
      await Promise.all([callers.close(), operators.close()])
    },
  }
}

async function open(house: House, surface: Surface, host: string, port: number) {
  const app = await buildApp(house, surface)
  try {
    await app.listen({ host, port, backlog: 4_096, listenTextResolver: () => 'doors open' })
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
