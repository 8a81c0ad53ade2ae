import { Failure } from '../../../foundation/failure.ts'
import { addWatches, listedWatch } from '../../../watches/operator-watches.ts'
import { nextCursor } from '../route/pagination.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** The watchlists of all environments. */
export const watchHandlers = {
  async removeWatch({ admin, params: { id } }, { store, clock }) {
    const args = { id, environmentId: null, project: admin.project, actor: admin.actor, at: clock.now() }
    if (await store.watches.removeWatch(args)) return { id, deleted: true as const }
    throw new Failure('not_found', {
      detail: `There is no watch ${id}.`,
      hint: '"vitae watches list" shows all watches.',
    })
  },

  async listWatches({ admin, query }, { store, lookup }) {
    const { limit = 100, cursor = null, project = null, environment = null, kind = null, paused = false } = query
    const filters = { environment, kind, paused, after: cursor, limit }
    const rows = await store.watches.listWatches({ project: admin.project ?? project, ...filters })
    const watches = rows.map((row) => listedWatch(lookup, row))
    return { watches, next_cursor: nextCursor(rows, limit, (row) => row.id) }
  },

  addWatches: ({ admin, body }, deps) => addWatches(deps, admin.actor, body),
} satisfies Partial<AdminHandlers>
