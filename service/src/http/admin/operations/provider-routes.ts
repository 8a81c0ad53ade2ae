import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { utcMonth, isoTime } from '../../../foundation/clock.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, orNull, Time } from '../schemas.ts'

const Name = Type.Object({ name: Type.String() })
const tag = 'providers'

/** Where records come from: the state of each provider, a check, and pausing it. */
export function providerRoutes(app: FastifyInstance, deps: AppDeps): void {
  listProvidersRoute(app, deps)
  checkProviderRoute(app, deps)
  pauseProviderRoute(true)(app, deps)
  pauseProviderRoute(false)(app, deps)
}

const listProvidersRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /providers',
  operationId: 'listProviders',
  summary: 'List providers: configuration, state, budget',
  role: 'viewer',
  response: Type.Object({ providers: Type.Array(ProviderView) }),
  handle: async () => ({ providers: await viewProviders(deps) }),
}))

const checkProviderRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /providers/:name/check',
  operationId: 'checkProvider',
  summary: 'Ask a provider one cheap question',
  description: 'The call counts in the month’s budget.',
  role: 'operator',
  params: Name,
  response: Type.Object({
    ok: Type.Boolean(),
    verdict: Type.String(),
    detail: Type.String(),
    duration_ms: Type.Number(),
  }),
  async handle({ admin, params: { name } }) {
    if (!factsOf(deps.providers, name).configured) {
      const detail = `Set VITAE_${name.toUpperCase()}_KEY${name === 'mirror' ? ' and VITAE_MIRROR_URL' : ''}.`
      return { ok: false, verdict: 'not_configured', detail, duration_ms: 0 }
    }
    const at = deps.clock.now()
    if (name !== 'directory') await deps.callCounts.spend({ provider: name, month: utcMonth(at), limit: null })
    const { ok, verdict, detail, durationMs } = await deps.providers.check(name)
    await deps.store.recordAudit({
      at,
      actor: admin.actor,
      action: 'provider.check',
      subject: name,
      after: { verdict },
    })
    return { ok, verdict, detail, duration_ms: durationMs }
  },
}))

function pauseProviderRoute(paused: boolean) {
  const verb = paused ? 'pause' : 'resume'
  return adminRoute(tag, (deps: AppDeps) => ({
    route: `POST /providers/:name/${verb}`,
    operationId: `${verb}Provider`,
    summary: paused ? 'Ask a provider nothing for now' : 'Ask a paused provider again',
    role: 'operator',
    params: Name,
    body: Type.Object({ reason: Type.Optional(Type.String()) }),
    response: ProviderView,
    async handle({ admin, params, body }) {
      const { name } = factsOf(deps.providers, params.name)
      const reason = body.reason ?? null
      await deps.callCounts.setPaused({ provider: name, paused, reason, actor: admin.actor, at: deps.clock.now() })
      return showProvider(deps, name)
    },
  }))
}

function factsOf(providers: AppDeps['providers'], name: string) {
  const facts = providers.facts.find((known) => known.name === name)
  if (facts) return facts
  const names = providers.facts.map((known) => known.name).join(', ')
  throw new Failure('not_found', { detail: `There is no provider ${name}; there are ${names}.` })
}

async function showProvider(deps: AppDeps, name: string) {
  const view = (await viewProviders(deps)).find((provider) => provider.name === name)
  if (!view) throw new Failure('not_found')
  return view
}

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
