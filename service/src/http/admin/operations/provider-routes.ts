import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { utcMonth } from '../../../foundation/clock.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { ProviderView, viewProviders } from './provider-view.ts'

const Name = Type.Object({ name: Type.String() })
const tag = 'providers'

/** Where records come from: the state of each provider, a check, and pausing it. */
export function providerRoutes(app: FastifyInstance, deps: AppDeps): void {
  listProvidersRoute(app, deps)
  checkProviderRoute(app, deps)
  pauseProviderRoute(app, deps, true)
  pauseProviderRoute(app, deps, false)
}

function listProvidersRoute(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/providers',
    operationId: 'listProviders',
    tag,
    summary: 'List providers: configuration, state, budget',
    role: 'viewer',
    response: Type.Object({ providers: Type.Array(ProviderView) }),
    handle: async () => ({ providers: await viewProviders(deps) }),
  })
}

function checkProviderRoute(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock, providers } = deps
  adminRoute(app, {
    method: 'POST',
    path: '/providers/:name/check',
    operationId: 'checkProvider',
    tag,
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
      if (!factsOf(providers, name).configured) {
        const detail = `Set VITAE_${name.toUpperCase()}_KEY${name === 'mirror' ? ' and VITAE_MIRROR_URL' : ''}.`
        return { ok: false, verdict: 'not_configured', detail, duration_ms: 0 }
      }
      const at = clock.now()
      if (name !== 'directory') await deps.callCounts.spend({ provider: name, month: utcMonth(at), limit: null })
      const { ok, verdict, detail, durationMs } = await providers.check(name)
      await store.recordAudit({ at, actor: admin.actor, action: 'provider.check', subject: name, after: { verdict } })
      return { ok, verdict, detail, duration_ms: durationMs }
    },
  })
}

function pauseProviderRoute(app: FastifyInstance, deps: AppDeps, paused: boolean): void {
  const { clock, providers } = deps
  const verb = paused ? 'pause' : 'resume'
  adminRoute(app, {
    method: 'POST',
    path: `/providers/:name/${verb}`,
    operationId: `${verb}Provider`,
    tag,
    summary: paused ? 'Ask a provider nothing for now' : 'Ask a paused provider again',
    role: 'operator',
    params: Name,
    body: Type.Object({ reason: Type.Optional(Type.String()) }),
    response: ProviderView,
    async handle({ admin, params, body }) {
      const { name } = factsOf(providers, params.name)
      const reason = body.reason ?? null
      await deps.callCounts.setPaused({ provider: name, paused, reason, actor: admin.actor, at: clock.now() })
      return showProvider(deps, name)
    },
  })
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
