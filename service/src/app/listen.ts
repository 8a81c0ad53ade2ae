import type { Config } from '../config/config.ts'
import { buildApp, type Surface } from '../http/app.ts'
import type { Service } from './build-service.ts'
import { listenError, urlOf, type Sharing } from './listen-address.ts'

/** The open doors. `url` is where the admin API is; callers find theirs at `publicUrl`, which is often the same. */
export interface Listeners {
  url: string
  publicUrl: string
  close(): Promise<void>
}

/** Opens the doors to the network: one port for all, or one for callers and one for operators. */
export async function listen(service: Service, config: Config, share: Sharing = {}): Promise<Listeners> {
  const { host, port, adminHost, adminPort } = config.http
  if (adminPort === null) {
    const all = await open(service, 'both', { host, port, ...share })
    return { ...all, publicUrl: all.url }
  }
  const callers = await open(service, 'callers', { host, port, ...share })
  const operators = await open(service, 'operators', { host: adminHost, port: adminPort, ...share }).catch(
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

async function open(service: Service, surface: Surface, at: Sharing & { host: string; port: number }) {
  const { host, port } = at
  const app = await buildApp(service, surface)
  try {
    await app.listen({ ...at, backlog: 4_096, listenTextResolver: () => 'doors open' })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  const address = app.server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  return { url: urlOf(host, boundPort), close: () => closeListener(app) }
}

const sweepMs = 50

/**
 * Finishes the calls in flight. A connection that falls idle with the last of them would hold the doors open until its
 * client lets go of it, so such connections are closed as they appear.
 */
async function closeListener(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
  }
}
