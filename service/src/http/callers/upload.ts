import type { IncomingMessage } from 'node:http'
import { Failure } from '../../foundation/failure.ts'
import { allowLongBody } from '../server.ts'

const silenceMs = 8_000
const discardMs = 10_000

/**
 * The body of a request that may take long, piece by piece. Where nothing comes for some seconds while we wait for it, it
 * ends in a failure; so does a connection that is lost.
 */
export async function* uploadOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  allowLongBody(request.socket)
  const pieces = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await within(silenceMs, pieces.next())
      if (next.done) break
      yield next.value as Buffer
    }
    if (!request.complete) throw lost
  } finally {
    await pieces.return?.()
    discardRest(request)
  }
}

/** What a refused client still sends is read past for a while: cut off in the middle, it would not see the answer. */
function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  request.resume()
  const timer = setTimeout(() => request.destroy(), discardMs).unref()
  request.once('close', () => clearTimeout(timer))
}

const slow = new Failure('invalid_request', { detail: 'The body came too slowly.' })
const lost = new Failure('invalid_request', { detail: 'The connection was lost before the body ended.' })

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(slow), ms)
  try {
    return await Promise.race([work, late.promise])
  } catch (error) {
    throw error instanceof Failure ? error : lost
  } finally {
    clearTimeout(timer)
  }
}
