import type { AdminBody } from '@vitae/contract/admin'
import { parseIdentifier } from '../../../records/identifiers/parse-identifier.ts'
import { Failure } from '../../../foundation/failure.ts'
import { utcMonth } from '../../../foundation/clock.ts'
import { viewProviders } from '../../../operators/view-providers.ts'
import type { AppDeps } from '../../deps.ts'
import type { AdminCall, AdminHandlers } from '../admin-route.ts'

/** Where records come from: the state of each provider, a check, and pausing it. */
export const providerHandlers = {
  listProviders: async (_call, deps) => ({ providers: await viewProviders(deps) }),

  async checkProvider({ admin, params: { name } }, deps) {
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

  async confirmProvider({ admin, params: { name }, body }, deps) {
    const { file, configured } = factsOf(deps.providers, name)
    if (!file)
      throw new Failure('invalid_request', { detail: `${name} is no provider file: there is nothing to confirm.` })
    if (!configured) throw new Failure('invalid_request', { detail: `Set VITAE_${name.toUpperCase()}_KEY.` })
    const at = deps.clock.now()
    const identifier = parseIdentifier(body.kind === 'company' ? 'companies' : 'people', body.id, deps.platformHosts)
    await deps.callCounts.spend({ provider: name, month: utcMonth(at), limit: null })
    const { unsaid, ...shown } = await deps.providers.confirm(name, identifier)
    if (shown.ok) await deps.store.confirmProvider({ provider: name, digest: file.digest, actor: admin.actor, at })
    return { ...shown, unsaid: [...unsaid] }
  },

  pauseProvider: setPaused(true),
  resumeProvider: setPaused(false),
} satisfies Partial<AdminHandlers>

type PauseCall = AdminCall<{ name: string }, undefined, AdminBody<'pauseProvider'>>

function setPaused(paused: boolean) {
  return async ({ admin, params, body }: PauseCall, deps: AppDeps) => {
    const { name } = factsOf(deps.providers, params.name)
    const reason = body.reason ?? null
    await deps.callCounts.setPaused({ provider: name, paused, reason, actor: admin.actor, at: deps.clock.now() })
    return showProvider(deps, name)
  }
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
