import type { Kind } from '@vitae/contract'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Complaints, Failure } from '../../../foundation/failure.ts'
import { hashesOf } from '../../../lifecycle/suppression/suppressed-ids.ts'
import type { Suppression as SuppressionFacts } from '../../../records/suppression/suppressions.ts'
import type { AppDeps } from '../../deps.ts'
import { isoTime } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../admin-route.ts'

/** Who is kept out, changed by an operator or by a feed. */
export const changeSuppressionHandlers = {
  async addSuppressions({ admin, body: { kind, ids, origin = 'operator', reason = null } }, deps) {
    const subjects = await allHashes(deps, { kind, ids })
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
    const asked = (await allHashes(deps, { kind, ids })).flat()
    const found = await deps.store.suppressionsOfSubjects({ hashes: asked })
    const hashes = [...new Set([...asked, ...found.map(({ hash }) => hash)])]
    const { removed } = await deps.suppressions.removeSuppressions({
      hashes,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    return { removed, suppressions: found.map(suppressionView) }
  },

  async importSuppressions({ admin, body: { kind = 'people', origin = 'import', ids = [], hashes = [] } }, deps) {
    const act = { actor: admin.actor, at: deps.clock.now() }
    const items = hashes.map(({ created_at, ...item }) => ({ ...item, createdAt: Date.parse(created_at) }))
    const exported = items.length > 0 ? await deps.suppressions.importSuppressions({ items, ...act }) : { added: 0 }
    const { found, errors } = await readFeed(deps, { kind, ids, origin })
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

/** A row of the list, as it is shown and exported. */
export function suppressionView(
  suppression: SuppressionFacts,
): AdminAnswer<'listSuppressions'>['suppressions'][number] {
  const { hash, kind, origin, reason, createdAt, subject = null } = suppression
  return { hash, kind, origin, reason, created_at: isoTime(createdAt), subject }
}

/** What the hash of an id depends on. */
export function hashing(deps: AppDeps) {
  return { store: deps.store, secret: deps.lookup.secret, platformHosts: deps.platformHosts }
}

type Feed = { kind: Kind; ids: readonly string[]; origin?: string }

/** The hashes of all names of each id; a list with lines that are no ids is refused whole, and each of them is named. */
async function allHashes(deps: AppDeps, feed: Feed): Promise<string[][]> {
  const { found, errors } = await readFeed(deps, feed)
  const complaints = new Complaints()
  for (const { line, reason } of errors) complaints.add(`ids/${line - 1}`, `Line ${line}: ${reason}`)
  complaints.throwAny('Nothing was changed. ')
  return found
}

/** Lines of a feed that are not ids are reported by number; the others are added. */
async function readFeed(deps: AppDeps, { kind, ids, origin = '' }: Feed) {
  const found: string[][] = []
  const errors: { line: number; reason: string }[] = []
  for (const [index, id] of ids.entries()) {
    try {
      found.push(await hashesOf(hashing(deps), { kind, id, origin }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ line: index + 1, reason: error.message })
    }
  }
  return { found, errors }
}
