import { Health, Readiness } from '../health.ts'
import type { PublicRows } from './row.ts'

/** The two probes. They need no key and cost nothing. */
export const healthOperations = {
  getHealth: {
    route: 'GET /healthz',
    tag: 'Health',
    summary: 'Is the process alive?',
    isOpen: true,
    response: Health,
    example: { status: 'ok' },
    failures: ['method_not_allowed'],
  },
  getReadiness: {
    route: 'GET /readyz',
    tag: 'Health',
    summary: 'Can calls be answered?',
    isOpen: true,
    response: Readiness,
    example: { status: 'ready' },
    otherAnswers: { 503: { description: 'Calls cannot be answered now.', example: { status: 'not_ready' } } },
    failures: ['method_not_allowed'],
  },
} as const satisfies PublicRows
