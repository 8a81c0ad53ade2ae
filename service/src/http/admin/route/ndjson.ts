import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toFailure } from '../../exchange/failure-response.ts'

/** Sends one line during the work. */
export type Emit = (line: object) => void

const everyMs = 200

/**
 * Streams work as JSON lines: progress, at most a few lines a second, and the result as the last line. A failure is a
 * last line too, because the status is already sent.
 */
function ndjson(work: (emit: Emit) => Promise<object>): Readable {
  const stream = new Readable({ read() {} })
  const write = (line: object) => stream.push(`${JSON.stringify(line)}\n`)
  let last = 0
  const emit: Emit = (line) => {
    const now = performance.now()
    if (now - last < everyMs) return
    last = now
    write({ progress: line })
  }
  void work(emit)
    .then((result) => write({ result }))
    .catch((error: unknown) => write({ error: toFailure(error).message }))
    .finally(() => stream.push(null))
  return stream
}

/** Returns the result of long work, preceded by progress lines if the client accepts NDJSON. */
export async function withProgress<Result extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (emit: Emit) => Promise<Result>,
): Promise<Result | FastifyReply> {
  if (!request.headers.accept?.includes('application/x-ndjson')) return work(() => undefined)
  return reply.type('application/x-ndjson').send(ndjson(work))
}
