import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Cuts connections whose client has stopped reading its answer. Node's own timeout of a connection cannot tell such a
 * client from one that is waiting for us, who must not be cut, so what it reports is looked at here.
 */
export function cutStalledReaders(server: Server, patienceMs: number): void {
  const waiting = new WeakMap<Socket, number>()
  const count = (socket: Socket, change: number) => waiting.set(socket, (waiting.get(socket) ?? 0) + change)
  server.timeout = patienceMs
  server.on('request', ({ socket }, response) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  server.on('timeout', (socket) => {
    // Node counts a write that makes progress as activity: what is left here has not moved at all.
    const unread = socket.writableLength > 0
    const idle = (waiting.get(socket) ?? 0) <= 0
    if (unread || idle) socket.destroy()
    else socket.setTimeout(patienceMs)
  })
}
