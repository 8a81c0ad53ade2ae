import { batchInputTypes } from '@vitae/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import type { ResultFormat } from '../../batches/batch-results.ts'
import { laneOf } from '../../batches/input/uploads.ts'
import type { Submission } from '../../batches/submit-batch.ts'
import { Failure, invalidParameter } from '../../foundation/failure.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { parseSpendTag, parseIdempotencyKey } from '../exchange/parse-lookup.ts'
import { isLost, uploadOf } from './upload.ts'

export const resultTypes: Record<ResultFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** Registers routes whose body, up to 50 MB, the batch reads as a stream. */
export function uploadRoutes(app: FastifyInstance, register: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    register(scope)
  })
}

/** The settings of a submitted batch, and its body as a stream that is read in turns. */
export function submissionOf(
  { batches: { uploads } }: Pick<AppDeps, 'batches'>,
  caller: Caller,
  request: FastifyRequest,
): Submission {
  const nextPart = () => uploads.next(laneOf(caller))
  return {
    type: typeOf(request),
    bytes: uploadOf(request.raw, nextPart, { isPacked: isPacked(request) }),
    isLost: () => isLost(request.raw),
    query: queryOf(request),
    idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
    spendTag: parseSpendTag(request.headers['x-spend-tag']?.toString()),
  }
}

function typeOf({ headers }: FastifyRequest) {
  const given = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const type = batchInputTypes.find((each) => each === given)
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (type && (coding === 'gzip' || coding === 'identity')) return type
  throw new Failure('unsupported_media_type', { detail: `Send ${batchInputTypes.join(', ')}, plain or with gzip.` })
}

function isPacked({ headers }: FastifyRequest): boolean {
  return headers['content-encoding']?.trim().toLowerCase() === 'gzip'
}

function queryOf({ raw }: FastifyRequest): Map<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(raw.url ?? '', 'http://batches').searchParams) {
    if (query.has(name)) throw invalidParameter(name.slice(0, 40), 'is given more than once')
    query.set(name, value)
  }
  return query
}
