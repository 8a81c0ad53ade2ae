import { once } from 'node:events'
import { createServer } from 'node:net'
import { StartError } from '../foundation/data-folder.ts'

/** How several processes listen on one port: each by itself where the kernel can divide the connections between them. */
export interface Sharing {
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

/** Why an address cannot be listened on, in words for the operator; any other error as it is. */
export function listenError(error: unknown, host: string, port: number): unknown {
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
