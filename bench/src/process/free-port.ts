import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A loopback port that nobody listens on. The tests of the service have the same, in a module that brings PostgreSQL
 * with it, whose hooks take over how a process ends: a failed check would no longer be an exit code.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
