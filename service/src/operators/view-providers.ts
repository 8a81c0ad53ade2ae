import type { Provider } from '@vitae/contract/admin'
import { isoTime, utcMonth } from '../foundation/clock.ts'
import type { OperatorDeps } from './deps.ts'
import { isSpike, providerSpikes, spikeText } from './spikes.ts'

/** Describes every provider for operators: its facts, state and budget. */
export async function viewProviders(deps: OperatorDeps): Promise<Provider[]> {
  const { providers, store, callCounts, clock } = deps
  const now = clock.now()
  const month = utcMonth(now)
  const states = new Map(providers.states().map((state) => [state.provider, state]))
  const spent = new Map((await callCounts.states(month)).map((row) => [row.provider, row.calls]))
  const known = await store.providers.providerStates(null)
  const paused = new Map(known.map((row) => [row.provider, row.paused]))
  const confirmed = new Map(known.map((row) => [row.provider, row.confirmed]))
  const recent = await providerSpikes(deps, now)
  return providers.facts.map(({ name, label, configured, inChain, supplies, budget, file }) => {
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
      confirmed: file && confirmed.get(name) === file.digest,
      certainty: file?.certainty ?? null,
      recent: {
        calls: lately?.calls ?? 0,
        failures: lately?.failures ?? 0,
        p50_ms: lately?.p50Ms ?? null,
        failing:
          lately && isSpike(lately, lately.usual) ? spikeText(lately, lately.usual, lately.since, 'attempts') : null,
      },
    }
  })
}
