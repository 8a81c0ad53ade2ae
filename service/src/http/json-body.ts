import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { ValueCount } from '../foundation/schema/count-values.ts'

/** More than the longest list that a route takes; reading so many takes some twenty milliseconds. */
const valuesAtMost = 40_000
const sliceBytes = 262_144

/**
 * Reads JSON bodies as Fastify does, after counting their values: a body of many small ones takes far longer to read than its
 * size tells, and nothing else is answered meanwhile.
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
