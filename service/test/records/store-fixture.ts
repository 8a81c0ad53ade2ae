import { type Company, type Kind, type Person, emptyCompany, emptyPerson } from '@vitae/contract'
import type { Alias, Identifier } from '../../src/foundation/identifier.ts'
import type { Store } from '../../src/database/engine/operation.ts'
import {
  erasureOperations,
  residueOperations,
  scorecardOperations,
  suppressionChangeOperations,
  upkeepOperations,
} from '../../src/lifecycle/store/operations.ts'
import {
  entityOperations,
  recordOperations,
  suppressionOperations,
  type RecordStore,
} from '../../src/records/operations.ts'
import { storeOn } from '../harness/store-on.ts'
import { suppressionHash, suppressionHashes } from '../../src/records/suppression/suppression-hash.ts'
import { companyPagesIn } from '../../src/records/rows/company-pages.ts'
import { searchTexts } from '../../src/records/rows/search-texts.ts'
import { serialiseRecord } from '../../src/records/body/record-bytes.ts'
import type { Engine, TestDatabase } from '../harness/engines.ts'

export const secret = 'a secret of the tests'
export const day = 86_400_000
/** Noon of some day; all times of these tests are relative to it. */
export const noon = 1_800_000_000_000

export const subjects = {
  records: recordOperations,
  entities: entityOperations,
  suppressions: suppressionOperations,
  suppressionChanges: suppressionChangeOperations,
  erasure: erasureOperations,
  residue: residueOperations,
  upkeep: upkeepOperations,
  scorecard: scorecardOperations,
}

export interface TestStore extends TestDatabase {
  store: Store<typeof subjects>
  /** Saves a provider's record of a person or company. */
  save(subject: Subject): Promise<Extract<Awaited<ReturnType<RecordStore['saveFetch']>>, { suppressed: false }>>
}

/** A real store with its operations. */
export async function openTestStore(engine: Engine): Promise<TestStore> {
  const database = await engine.open()
  const store = storeOn(database, subjects)
  return { ...database, store, save: async (subject) => isSaved(await store.records.saveFetch(fetched(subject))) }
}

interface Subject {
  kind?: Kind
  /** The requested name; by default the slug. */
  asked?: Alias
  slug?: string
  /** The platform's number; without one the key is derived. */
  number?: number
  derivedKey?: string
  more?: Alias[]
  provider?: string
  at?: number
  thin?: boolean
  record?: Partial<Person> | Partial<Company>
  payload?: unknown
}

/** The arguments of `saveFetch` for a person or company as a provider describes them. */
export function fetched(subject: Subject) {
  const { kind = 'people', slug, number, provider = 'mirror', at = noon, thin = false } = subject
  const identity = identityOf(subject)
  const key = identity.key
  const record =
    kind === 'people'
      ? {
          ...emptyPerson(key),
          public_identifier: slug ?? null,
          first_name: 'Ada',
          last_name: 'Example',
          ...subject.record,
        }
      : {
          ...emptyCompany(),
          company_id: key,
          public_identifier: slug ?? null,
          company_name: 'Example',
          ...subject.record,
        }
  const { body, parts } = serialiseRecord(kind, record as Person & Company)
  const asked =
    subject.asked ?? (slug === undefined ? { type: 'id', value: String(number) } : { type: 'slug', value: slug })
  const identifier = { kind, type: asked.type, value: asked.value } as Identifier
  return {
    identifier,
    provider,
    projection: 1,
    at,
    status: 200,
    cost: 1,
    durationMs: 12,
    payload: Buffer.from(JSON.stringify(subject.payload ?? record)),
    identity,
    body,
    parts: JSON.stringify(parts),
    thin,
    sourceUpdatedAt: null,
    texts: searchTexts(record as Person & Company),
    pages: companyPagesIn(record as Person & Company),
    suppressionHashes: suppressionHashes(secret, kind, identity, identifier),
  }
}

/** The same as one record of a dataset. */
export function imported(subject: Subject) {
  const { kind = 'people', at = noon, provider = 'import' } = subject
  return { ...fetched({ ...subject, provider }), kind, fetchedAt: at }
}

function identityOf({ kind = 'people', slug, number, derivedKey, more = [] }: Subject) {
  const real = kind === 'people' ? `urn:li:member:${number}` : String(number)
  const guessed = kind === 'people' ? `urn:vitae:person:${derivedKey ?? slug}` : `vitae-${derivedKey ?? slug}`
  const aliases = [
    ...(slug === undefined ? [] : [{ type: 'slug', value: slug }]),
    ...(number !== undefined && kind === 'people' ? [{ type: 'member', value: String(number) }] : []),
    ...more,
  ]
  return { key: number === undefined ? guessed : real, derived: number === undefined, aliases }
}

export function slugOf(value: string, kind: Kind = 'people'): Identifier {
  return { kind, type: 'slug', value }
}

/** The arguments of `recall` for an identifier. */
export function asking(identifier: Identifier) {
  return { identifier, suppressionHash: suppressionHash(secret, identifier.kind, identifier) }
}

export function recordIn(copy: { body: Uint8Array } | null | undefined): Person & Company {
  return JSON.parse(Buffer.from(copy?.body ?? []).toString()) as Person & Company
}

export function isSaved<R extends { suppressed: boolean }>(saved: R): Extract<R, { suppressed: false }> {
  if (saved.suppressed) throw new Error('expected it to be saved')
  return saved as Extract<R, { suppressed: false }>
}

interface Receipt {
  requestId: string
  entityId: number | null
  versionId: number | null
  identifier: string | null
}

/** A paid call in the call log. */
export async function writeReceipt(fixture: TestStore, { requestId, entityId, versionId, identifier }: Receipt) {
  await fixture.db
    .insertInto('calls')
    .values({
      request_id: requestId,
      at: noon,
      mode: 'live',
      key_id: 'k',
      account_id: 1,
      kind: 'people',
      status: 200,
      code: null,
      source: 'store',
      credits: 1,
      identifier,
      entity_id: entityId,
      version_id: versionId,
      fetch_id: null,
      replay_of: null,
      duration_ms: null,
    })
    .execute()
}
