import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../foundation/failure.ts'
import { ValueCount } from '../../foundation/schema/count-values.ts'

/** More than the longest list of any route. Parsing this many values takes about 20 ms. */
const valuesAtMost = 40_000
const sliceBytes = 262_144

/**
 * Parses JSON bodies like Fastify, but counts their values first. Parsing many small values takes much longer than the
 * size suggests, and it blocks the event loop.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'ignore')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    checkCount(body).then(() => void parse(request, body.toString(), done), done)
  })
}

async function checkCount(body: Buffer): Promise<void> {
  if (body.length <= valuesAtMost) return
  const values = new ValueCount()
  for (let from = 0; from < body.length; from += sliceBytes) {
    values.add(body.subarray(from, from + sliceBytes))
    if (values.count > valuesAtMost)
      throw new Failure('body_too_large', { detail: `The body has more than ${valuesAtMost} values. Split it.` })
    if (body.length > sliceBytes) await nextTurn()
  }
}
