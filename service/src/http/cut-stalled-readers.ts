import type { Server } from 'node:http'

/**
 * Cuts connections whose client has stopped reading its answer. Node's own timeout of a connection cannot tell such a
 * client from one that is waiting for us, who must not be cut, so what it reports is looked at here.
 */
export function cutStalledReaders(server: Server, patienceMs: number): void {
  server.timeout = patienceMs
  server.on('timeout', (socket) => {
    // Node gives a connection between two requests a longer timeout of its own: with that one it is merely idle.
    const isBusy = socket.timeout === patienceMs
    // A write that makes progress counts as activity: what is left here has not moved at all.
    if (isBusy && socket.writableLength === 0) socket.setTimeout(patienceMs)
    else socket.destroy()
  })
}
