import { readFeed, readIds } from '../../../lifecycle/suppression/read-feed.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Changes of the suppression list, by an operator or a feed. */
export const changeSuppressionHandlers = {
  async addSuppressions({ admin, body: { kind, ids, origin = 'operator', reason = null } }, deps) {
    const subjects = await readIds(hashing(deps), { kind, ids })
    const added = await deps.suppressions.addSuppressions({
      hashes: [...new Set(subjects.flat())],
      subjects,
      kind,
      origin,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.recordsChanged()
    return added
  },

  async removeSuppressions({ admin, body: { kind, ids, reason = null } }, deps) {
    const asked = (await readIds(hashing(deps), { kind, ids })).flat()
    const found = await deps.store.suppressions.suppressionsOfSubjects({ hashes: asked })
    const hashes = [...new Set([...asked, ...found.map(({ hash }) => hash)])]
    const { removed } = await deps.suppressions.removeSuppressions({
      hashes,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    return { removed, suppressions: found }
  },

  async importSuppressions({ admin, body: { kind = 'people', origin = 'import', ids = [], hashes = [] } }, deps) {
    const act = { actor: admin.actor, at: deps.clock.now() }
    const items = hashes.map(({ created_at, ...item }) => ({ ...item, createdAt: Date.parse(created_at) }))
    const exported = items.length > 0 ? await deps.suppressions.importSuppressions({ items, ...act }) : { added: 0 }
    const { found, errors } = await readFeed(hashing(deps), { kind, ids, origin })
    const fed =
      found.length > 0
        ? await deps.suppressions.addSuppressions({
            hashes: [...new Set(found.flat())],
            subjects: found,
            kind,
            origin,
            reason: null,
            ...act,
          })
        : { added: 0 }
    await deps.recordsChanged()
    return { added: exported.added + fed.added, errors }
  },
} satisfies Partial<AdminHandlers>

/** The dependencies for hashing an id. */
export function hashing(deps: AppDeps) {
  return { store: deps.store, secret: deps.lookup.secret, platformHosts: deps.platformHosts }
}
