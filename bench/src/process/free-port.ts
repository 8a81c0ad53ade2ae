import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A loopback port that nobody listens on, below those that the system hands out by itself, so that none of them takes it
 * meanwhile. The tests of the service have the same, in a module that brings PostgreSQL with it, whose hooks take over how
 * a process ends: a failed check would no longer be an exit code.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
