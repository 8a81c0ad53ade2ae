import { Failure } from '../../foundation/failure.ts'
import { isDerivedCompanyId, type Identifier } from '../../foundation/identifier.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import { notFound, pageOf, recallOnRoute, recallStored, recallTogether } from '../recall/recall-record.ts'
import type { LookupDeps } from '../payment/deps.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import { UncertainMiss } from './fetch-required.ts'

/** True for a `member_urn` or a `company_id` that we derived ourselves: providers do not know these. */
function isOwnKey({ type, value }: Identifier): boolean {
  return type === 'urn' || isDerivedCompanyId(value)
}

/**
 * The identifier to ask providers for. For one of our own keys it is the public name in the stored record, or the page
 * that was stored beside a derived company id. A key without either is returned unchanged, and only a provider that
 * accepts keys can answer it. `suppressed` is set if the public name is suppressed.
 */
export async function askableIdentifier(
  deps: LookupDeps,
  identifier: Identifier,
  route: Route,
): Promise<{ identifier: Identifier; suppressed?: true }> {
  if (!isOwnKey(identifier)) return { identifier }
  const { record } = await recallTogether(deps, identifier)
  const name = record ? publicName(identifier.kind, record) : await pageOf(deps, identifier)
  if (!name) return { identifier }
  const { notFoundAt, suppressed } = await recallOnRoute(deps, name, route)
  const { notFoundMs } = deps.rules.freshness
  if (notFoundAt !== null && deps.clock.now() - notFoundAt < notFoundMs) throw notFound()
  return suppressed ? { identifier: name, suppressed } : { identifier: name }
}

/** Rejects a fetched record of another entity: the public name of the key now belongs to someone else. */
export async function checkSameEntity(deps: LookupDeps, asked: Identifier, fetched: ReadyRecord): Promise<void> {
  const { record } = await recallStored(deps, asked)
  if (record?.entityId !== fetched.entityId) throw new UncertainMiss()
}

function publicName(kind: Identifier['kind'], { body }: ReadyRecord): Identifier | null {
  const record = JSON.parse(body.toString()) as { public_identifier?: string | null; entity_urn?: string | null }
  for (const text of [record.public_identifier, record.entity_urn]) {
    try {
      const name = text ? parseIdentifier(kind, text) : null
      if (name && !isOwnKey(name)) return name
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
  return null
}
