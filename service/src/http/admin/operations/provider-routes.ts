import type { AdminBody } from '@vitae/contract/admin'
import { Failure } from '../../../foundation/failure.ts'
import { checkProvider, confirmProvider, factsOf } from '../../../operators/ask-provider.ts'
import { viewProviders } from '../../../operators/view-providers.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { AdminCall, AdminHandlers } from '../route/admin-route.ts'

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
