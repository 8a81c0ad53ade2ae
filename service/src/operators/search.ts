import { kinds } from '@vitae/contract'
import { rolesThatMay, type SearchResult as Result } from '@vitae/contract/admin'
import { displayApiKey } from '../accounts/api-key.ts'
import { dayMs } from '../foundation/clock.ts'
import { creditsText } from '../foundation/money.ts'
import { contactName, normaliseEmail } from '../records/contact-index/contact-rows.ts'
import type { Admin, OperatorDeps } from './deps.ts'
import { identifiersIn, noteAccess } from './find-record.ts'

const ofEachKind = 5

const requestIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const apiKeyForm = /^vt_(?:test|live)_\w{20,}$/

/** Parts of ids are random, so a word must not match them. */
function looksLikeId(text: string): boolean {
  return /^(?:vt|key|batch|wh)_/.test(text) || (/^[\w-]{6,}$/.test(text) && /\d/.test(text))
}

/** Searches everything that has a name, within the admin's permissions. */
export async function searchAll(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  const found = await Promise.all([
    findCalls(deps, admin, text),
    findRecords(deps, admin, text),
    findProjects(deps, admin, text),
    findKeys(deps, admin, text),
    findBatches(deps, admin, text),
    findWebhooks(deps, admin, text),
    findTags(deps, admin, text),
  ])
  return found.flat()
}

async function findCalls(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  if (!requestIdForm.test(text)) return []
  await deps.callsWritten()
  const receipt = await deps.store.credits.receipt({ requestId: text.toLowerCase() })
  if (!receipt || (admin.project !== null && admin.project !== receipt.project)) return []
  const { requestId, project, environment, call } = receipt
  const detail = `${call ? `${call.status}, ` : ''}${project}/${environment}`
  return [{ kind: 'call', id: requestId, name: requestId, detail }]
}

/** Records belong to no project, so a token of one project finds none. */
async function findRecords(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  if (admin.project !== null || requestIdForm.test(text) || apiKeyForm.test(text)) return []
  const email = normaliseEmail(text)
  const found = email === null ? await recordsByText(deps, text) : await recordsByEmail(deps, email)
  await noteAccess(deps, admin, 'record.search', null, { found: found.length })
  return found
}

async function recordsByText(deps: OperatorDeps, text: string): Promise<Result[]> {
  const ask = { text, identifiers: identifiersIn(deps, text), limit: ofEachKind, cursor: null }
  const pages = await Promise.all(kinds.map((kind) => deps.store.entities.searchEntities({ ...ask, kind })))
  return pages
    .flatMap(({ items }) => items)
    .map(({ kind, key, name, slug }) => ({ kind, id: key, name: name ?? slug ?? key, detail: slug ?? key }))
}

/** Finds records by e-mail address. The store keeps only keyed hashes of addresses, so nothing else can be found by them. */
async function recordsByEmail(deps: OperatorDeps, email: string): Promise<Result[]> {
  const { secret } = deps.lookup
  const names = [contactName(secret, 'people', 'email', email)]
  const { candidates } = await deps.store.records.findContacts({ kind: 'people', names, secret, seesContact: true })
  const ids = candidates.slice(0, ofEachKind).map(({ entityId }) => entityId)
  const found = await deps.store.entities.entityNames({ ids })
  return found.map(({ kind, key, name }) => ({ kind, id: key, name: name ?? key, detail: 'by the e-mail address' }))
}

async function findProjects(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  const [project = '', environment] = text.split('/', 2)
  const ask = { project: admin.project, text: project, at: deps.clock.now(), limit: ofEachKind }
  const found = await deps.store.projects.listProjects(ask)
  return found
    .flatMap(({ name, environments }): Result[] => {
      const places = environments.filter((one) => environment === undefined || one.name.startsWith(environment))
      const own: Result[] = environment === undefined ? [{ kind: 'project', id: name, name, detail: '' }] : []
      const shown = places.map((one): Result => ({
        kind: 'environment',
        id: `${name}/${one.name}`,
        name: `${name}/${one.name}`,
        detail: creditsText(one.available),
      }))
      return [...own, ...shown]
    })
    .slice(0, 2 * ofEachKind)
}

async function findKeys(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  // For a complete API key, search only by its displayed part.
  const shown = apiKeyForm.test(text) ? displayApiKey(text) : text
  const named = { text: shown, ids: looksLikeId(shown) }
  const ask = { project: admin.project, environment: null, ...named, after: null, at: deps.clock.now() }
  const keys = await deps.store.keys.listKeys({ ...ask, order: 'last_used', limit: ofEachKind })
  return keys.map(({ id, label, display, project, environment, mode }) => ({
    kind: 'key',
    id,
    name: label || display,
    detail: `${mode} key of ${project}/${environment}, ${display}`,
  }))
}

async function findBatches(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  const any = { environment: null, keyId: null, status: null, before: null }
  const batches = await deps.store.batches.listOwnedBatches({
    ...{ ...any, project: admin.project, text },
    ids: looksLikeId(text),
    limit: ofEachKind,
  })
  return batches.map(({ public_id: id, name, status, project, environment }) => ({
    kind: 'batch',
    id,
    name: name ?? id,
    detail: `${status}, ${project}/${environment}`,
  }))
}

/** Only admins who may list webhooks find them, because many receivers treat their URL as a secret. */
async function findWebhooks(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  if (!rolesThatMay.operator.includes(admin.role)) return []
  const found = await deps.store.webhooks.listWebhooks({
    ...{ project: admin.project, text, limit: ofEachKind, after: null },
    searched: looksLikeId(text) ? 'both' : 'url',
  })
  return found.map(({ id, url, project, environment }) => ({
    kind: 'webhook',
    id,
    name: url,
    detail: `${project}/${environment ?? 'all'}`,
  }))
}

const tagDays = 30

async function findTags(deps: OperatorDeps, admin: Admin, text: string): Promise<Result[]> {
  const since = deps.clock.now() - tagDays * dayMs
  const tags = await deps.store.usage.tagsLike({ project: admin.project, text, since, limit: ofEachKind })
  return tags.map((tag) => ({ kind: 'tag', id: tag, name: tag, detail: 'what it was spent for' }))
}
