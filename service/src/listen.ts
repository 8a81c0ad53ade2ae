import type { Config } from './config.ts'
import { StartError } from './foundation/data-folder.ts'
import { buildApp } from './http/app.ts'
import type { House } from './house.ts'

/** Opens the doors to the network. */
export async function listen(house: House, config: Config): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port } = config.http
  const app = await buildApp(house)
  try {
    await app.listen({ host, port, backlog: 4_096, listenTextResolver: () => 'doors open' })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  const address = app.server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  return { url: urlOf(host, boundPort), close: () => app.close() }
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
