import type { AdminBody, AdminAnswer } from '@vitae/contract/admin'
import { Failure } from '../../../foundation/failure.ts'
import { checkProvider, confirmProvider, factsOf } from '../../../operators/ask-provider.ts'
import { viewProviders } from '../../../operators/view-providers.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { AdminCall, AdminHandlers } from '../route/admin-route.ts'
import { scoreProviders, type ProviderScore } from '../../../lifecycle/scorecard/scorecard.ts'
import { dayMs, utcDay } from '../../../foundation/clock.ts'

/** Providers: the state of each, a check, and pausing. */
export const providerHandlers = {
  listProviders: async (_call, deps) => ({ providers: await viewProviders(deps) }),

  checkProvider: ({ admin, params: { name } }, deps) => checkProvider(deps, admin.actor, name),

  confirmProvider: ({ admin, params: { name }, body }, deps) => confirmProvider(deps, admin.actor, name, body),

  pauseProvider: setPaused(true),
  resumeProvider: setPaused(false),
} satisfies Partial<AdminHandlers>

type PauseCall = AdminCall<{ name: string }, undefined, AdminBody<'pauseProvider'>>

function setPaused(paused: boolean) {
  return async ({ admin, params, body }: PauseCall, deps: AppDeps) => {
    const { name } = factsOf(deps, params.name)
    const reason = body.reason ?? null
    await deps.callCounts.setPaused({ provider: name, paused, reason, actor: admin.actor, at: deps.clock.now() })
    await deps.keysChanged()
    const view = (await viewProviders(deps)).find((provider) => provider.name === name)
    if (!view) throw new Failure('not_found')
    return view
  }
}

type Range = AdminAnswer<'scoreProviders'>['range']

const ranges: Record<Range, number> = {
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  quarter: 91 * dayMs,
  year: 365 * dayMs,
}

export const scorecardHandlers = {
  async scoreProviders({ query: { range = 'month' } }, deps) {
    const until = deps.clock.now() + 1
    const since = until - ranges[range]
    const { scores, disagreements } = await scoreProviders(deps, { since, until })
    const { currency } = deps.providers
    return { range, since, until, currency, providers: scores.map(scoreFacts), disagreements }
  },
} satisfies Partial<AdminHandlers>

function scoreFacts({ tally, fillRates, days, ...score }: ProviderScore) {
  const [p50Ms, p95Ms] = [tally.percentile(0.5), tally.percentile(0.95)]
  return {
    ...{ ...tally, usable: tally.usable, ...score, p50Ms, p95Ms, fillRate: fillRates },
    days: days.map(({ day, answers, filled }) => ({
      day: utcDay(day),
      answers,
      rates: Object.fromEntries(Object.entries(filled).map(([unit, count]) => [unit, shareOf(count, answers)])),
    })),
    drifted: days.findLast((day) => day.drifted !== null)?.drifted ?? [],
  }
}

function shareOf(count: number, answers: number): number {
  return Math.round((count / answers) * 10_000) / 10_000
}
