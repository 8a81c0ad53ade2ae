import type { KeyView } from '../../../accounts/key.ts'
import { createApiKey, displayApiKey, hashApiKey } from '../../../accounts/api-key.ts'
import { parseDuration } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { noSettings } from '../../../accounts/key.ts'
import { readKeySettings } from './key-settings.ts'
import { nextCursor, placeCursor, placeText } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Creates, shows, changes, rotates and revokes keys. Every change takes effect before the response is sent. */
export const keyHandlers = {
  async listKeys({ admin, query }, { store, clock }) {
    const { environment = null, limit = 100, text, state, mode, order, cursor } = query
    const project = admin.project ?? query.project ?? null
    const after = order ? placeCursor(cursor) : cursor === undefined ? null : ([0, cursor] as [number, string])
    const wanted = { project, environment, limit, after, at: clock.now() }
    const keys = await store.keys.listKeys({ ...wanted, ...given({ text, state, mode, order }) })
    const sorted = (key: (typeof keys)[number]) => (order === 'last_used' ? key.last_used_at : key.created_at)
    return { keys, next_cursor: nextCursor(keys, limit, (key) => (order ? placeText(sorted(key), key.id) : key.id)) }
  },

  async createKey({ admin, body }, { store, clock }) {
    const { mode } = body
    const key = createApiKey(mode)
    const { project, environment } = body
    const settings = { ...noSettings, ...readKeySettings(body) }
    const view = await store.keys.createKey({
      project,
      environment,
      mode,
      hash: hashApiKey(key),
      display: displayApiKey(key),
      settings,
      actor: admin.actor,
      at: clock.now(),
    })
    return { ...view, key }
  },

  showKey: {
    find: findKey,
    handle: async (_call, _deps, key: KeyView) => key,
  },

  updateKey: {
    find: findKey,
    async handle({ admin, params: { id }, body }, deps) {
      const at = deps.clock.now()
      if (typeof body.daily_ceiling === 'number') await deps.store.grants.countDays({ keyId: id, at })
      const view = await deps.store.keys.updateKey({ id, settings: readKeySettings(body), actor: admin.actor, at })
      await deps.keysChanged()
      return view
    },
  },

  rotateKey: {
    find: findKey,
    async handle({ admin, params, body }, deps, old: KeyView) {
      const overlapMs = parseDuration(body.overlap)
      if (overlapMs === null) {
        throw invalidParameter('overlap', 'must be a duration such as 1h, 30m or 0s')
      }
      const key = createApiKey(old.mode)
      const view = await deps.store.keys.rotateKey({
        id: params.id,
        hash: hashApiKey(key),
        display: displayApiKey(key),
        overlapMs,
        actor: admin.actor,
        at: deps.clock.now(),
      })
      await deps.keysChanged()
      return { ...view, key }
    },
  },

  revokeKey: {
    find: findKey,
    async handle({ admin, params, body }, deps) {
      const view = await deps.store.keys.revokeKey({
        id: params.id,
        reason: body.reason ?? null,
        actor: admin.actor,
        at: deps.clock.now(),
      })
      await deps.keysChanged()
      return view
    },
  },
} satisfies Partial<AdminHandlers>

function findKey({ params }: { params: { id: string } }, { store, clock }: AppDeps) {
  return store.keys.showKey({ id: params.id, at: clock.now() })
}
