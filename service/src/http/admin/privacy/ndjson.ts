import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toFailure } from '../../failure-response.ts'

/** Sends one line while the work goes on. */
export type Emit = (line: object) => void

const everyMs = 200

/**
 * Work as a stream of JSON lines: its progress, a few lines a second at most, and its result as the last one. The
 * status has left by the time the work fails, so a failure is a last line too.
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

/** The result of long work, or, for who accepts them, lines that say how far it is before it. */
export async function withProgress<Result extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (emit: Emit) => Promise<Result>,
): Promise<Result | FastifyReply> {
  if (!request.headers.accept?.includes('application/x-ndjson')) return work(() => undefined)
  return reply.type('application/x-ndjson').send(ndjson(work))
}
