import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { FastConnection, type FastPathTerms, type ServePlain, sweepMs } from './fast-connection.ts'
import { watchLent } from './lent-connection.ts'

/** The event of a server that is about to close: it still takes calls, and every answer is the last of its connection. */
export const draining = 'draining'

/**
 * The way in for plain lookups, past Node's HTTP server, which would cost more than all of the lookup. Any other whole
 * request is answered by that server, and the connection comes back. What cannot be told apart from its first bytes, such as a
 * body in pieces or requests that do not wait for an answer, moves the connection to that server for good.
 */
export function openFastPath(
  server: Server,
  serve: ServePlain,
  limits: Pick<FastPathTerms, 'firstRequestMs' | 'keepAliveMs' | 'stalledMs'>,
): void {
  const connections = new Set<FastConnection>()
  const usual = server.listeners('connection')
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
