import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { countUsage, type UsageCount } from '../../../credits/reports/usage-counts.ts'
import { savedByStore } from '../../../lifecycle/scorecard/saved.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { readTime, spanQuery } from '../read-time.ts'
import { Count, orNull } from '../schemas.ts'
import { dayMs } from '../../../foundation/clock.ts'

/** What the store saved: calls to providers that were not needed, and their price. */
export function savingsRoutes(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/usage/savings',
    operationId: 'readSavings',
    tag: 'usage',
    summary: 'What answers from the store saved, in calls to providers, their credits and money',
    description:
      'At what an answered call to a provider cost on average in the same time, by kind of record; at the price of the first provider with one where none was asked.',
    role: 'viewer',
    query: Type.Object(spanQuery),
    response: Type.Object({
      calls: Count,
      credits: orNull(Type.Number({ description: 'Credits of providers, as they report them.' })),
      money: orNull(Type.Number({ description: 'Null where no VITAE_<PROVIDER>_COST is set.' })),
      currency: Type.String(),
    }),
    async handle({ query }) {
      await deps.callsWritten()
      const now = deps.clock.now()
      const until = query.until === undefined ? now + 1 : readTime('until', query.until, now)
      const since = query.since === undefined ? now - 30 * dayMs : readTime('since', query.since, now)
      const by: ('source' | 'endpoint')[] = ['source', 'endpoint']
      const ask = { since, until, bucketMs: null, by, project: null, environment: null, mode: 'live' as const }
      const answers = await countUsage(deps.store, ask, storeAnswers)
      return { ...(await savedByStore(deps, { since, until }, answers)), currency: deps.providers.currency }
    },
  })
}

async function storeAnswers(counts: AsyncIterable<UsageCount>): Promise<{ people: number; companies: number }> {
  const answers = { people: 0, companies: 0 }
  for await (const { source, kind, calls } of counts) if (source === 'store' && kind) answers[kind] += calls
  return answers
}
