import { Failure } from '../foundation/failure.ts'
import { toFailure } from './failure-response.ts'

/** Fastify's own complaints in the words of our failure table. */
export function fromFastify(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof Error) || !('code' in error)) return toFailure(error)
  switch (error.code) {
    case 'FST_ERR_VALIDATION':
      return new Failure('invalid_request', { detail: error.message, errors: validationErrors(error) })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Failure('body_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure('unsupported_media_type')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new Failure('invalid_request', { detail: 'The request cannot be read.' })
    default:
      return fromStatus(error, error.code)
  }
}

/** The rarer complaints, about odd methods and the like, are told apart only by whose fault they are. */
function fromStatus(error: Error, code: unknown): Failure {
  const itsOwn = typeof code === 'string' && code.startsWith('FST_') && 'statusCode' in error
  const status = itsOwn ? Number(error.statusCode) : 500
  if (status === 404) return new Failure('route_not_found')
  if (status >= 400 && status < 500) return new Failure('invalid_request', { detail: 'The request cannot be read.' })
  return toFailure(error)
}

function validationErrors(error: Error): { parameter: string; detail: string }[] {
  if (!('validation' in error) || !Array.isArray(error.validation)) return []
  return error.validation.map(
    (item: { instancePath?: string; message?: string; params?: { missingProperty?: string } }) => ({
      parameter: item.params?.missingProperty ?? (item.instancePath ?? '').replace(/^\//, '').replaceAll('/', '.'),
      detail: item.message ?? 'is not valid',
    }),
  )
}
