import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { FastConnection, type FastPathTerms, type ServePlain, sweepMs } from './fast-connection.ts'
import { watchLent } from './lent-connection.ts'

/** Event: the server is about to close. It still accepts calls, but each response ends its connection. */
export const draining = 'draining'

/**
 * Serves plain lookups without Node's HTTP server, which would cost more than the lookup itself. Node's server answers
 * any other whole request, then returns the connection. A request that cannot be delimited from its first bytes
 * (chunked body, pipelining) moves the connection to Node's server permanently.
 */
export function openFastPath(
  server: Server,
  serve: ServePlain,
  limits: Pick<FastPathTerms, 'firstRequestMs' | 'keepAliveMs' | 'stalledMs'>,
): void {
  const connections = new Set<FastConnection>()
  // Node's server takes any stream as a connection.
  const usual = server.listeners('connection') as ((connection: Duplex) => void)[]
  server.removeAllListeners('connection')
  const terms: FastPathTerms = {
    ...limits,
    serve,
    keepAliveLines: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(limits.keepAliveMs / 1_000)}\r\n\r\n`,
    closing: false,
    lend: (lent) => {
      for (const listener of usual) listener.call(server, lent)
    },
    leave(connection, socket) {
      connections.delete(connection)
      for (const listener of usual) listener.call(server, socket)
    },
  }
  watchLent(server)
  server.on('connection', (socket: Socket) => {
    const connection = new FastConnection(socket, terms)
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })

  const sweep = setInterval(() => {
    for (const connection of connections) connection.check()
  }, sweepMs)
  sweep.unref()
  server.once('close', () => clearInterval(sweep))

  server.once(draining, () => (terms.closing = true))
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    terms.closing = true
    for (const connection of connections) connection.closeIfIdle()
    closeIdle()
  }
}
