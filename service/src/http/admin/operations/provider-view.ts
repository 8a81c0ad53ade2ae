import Type, { type Static } from 'typebox'
import { utcMonth, isoTime } from '../../../foundation/clock.ts'
import type { AppDeps } from '../../deps.ts'
import { Count, orNull, Time } from '../schemas.ts'

export const ProviderView = Type.Object({
  name: Type.String(),
  label: Type.String(),
  configured: Type.Boolean(),
  in_chain: Type.Boolean(),
  supplies: Type.Object({ people: Type.Array(Type.String()), companies: Type.Array(Type.String()) }),
  breaker: orNull(Type.Enum(['closed', 'open', 'half-open'])),
  in_flight: Count,
  queued: Count,
  last_fault: orNull(Type.Object({ kind: Type.String(), at: Time })),
  last_answer_at: orNull(Time),
  budget: Type.Object({ month: Type.String(), calls: Count, limit: orNull(Count) }),
  paused: Type.Boolean(),
  recent: Type.Object(
    { calls: Count, failures: Count, p50_ms: orNull(Type.Number()) },
    { description: 'The last hour.' },
  ),
})
export type ProviderView = Static<typeof ProviderView>

const recentMs = 3_600_000

/** Every provider as operators see it: what it is, how it does, what it may spend. */
export async function viewProviders({ providers, store, callCounts, clock }: AppDeps): Promise<ProviderView[]> {
  const now = clock.now()
  const month = utcMonth(now)
  const states = new Map(providers.states().map((state) => [state.provider, state]))
  const spent = new Map((await callCounts.states(month)).map((row) => [row.provider, row.calls]))
  const paused = new Map((await store.providerStates(null)).map((row) => [row.provider, row.paused]))
  const recent = new Map((await store.recentCalls({ since: now - recentMs })).map((row) => [row.provider, row]))
  return providers.facts.map(({ name, label, configured, inChain, supplies, budget }) => {
    const state = states.get(name)
    const lately = recent.get(name)
    return {
      name,
      label,
      configured,
      in_chain: inChain,
      supplies,
      breaker: state?.breaker ?? null,
      in_flight: state?.inFlight ?? 0,
      queued: state?.queued ?? 0,
      last_fault: state?.lastFault ? { kind: state.lastFault.kind, at: isoTime(state.lastFault.at) } : null,
      last_answer_at: isoTime(state?.lastAnswerAt ?? null),
      budget: { month, calls: spent.get(name) ?? 0, limit: budget },
      paused: paused.get(name) ?? false,
      recent: { calls: lately?.calls ?? 0, failures: lately?.failures ?? 0, p50_ms: lately?.p50Ms ?? null },
    }
  })
}
