import { headerReferences, onEverything } from './openapi-headers.ts'

const probe = (name: string, description: string, status: string) => ({
  description,
  headers: headerReferences(onEverything),
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${name}` },
      examples: { [status]: { summary: description, value: { status } } },
    },
  },
})

/** The two probes. They need no key and cost nothing. */
export function healthPaths(): Record<string, unknown> {
  const refused = { 405: { $ref: '#/components/responses/MethodNotAllowed' } }
  const shared = { tags: ['Health'], security: [] }
  return {
    '/healthz': {
      get: {
        ...shared,
        operationId: 'getHealth',
        summary: 'Is the process alive?',
        responses: { 200: probe('Health', 'The process lives.', 'ok'), ...refused },
      },
    },
    '/readyz': {
      get: {
        ...shared,
        operationId: 'getReadiness',
        summary: 'Can calls be answered?',
        responses: {
          200: probe('Readiness', 'Calls can be answered.', 'ready'),
          ...refused,
          503: probe('Readiness', 'Calls cannot be answered now.', 'not_ready'),
        },
      },
    },
  }
}
