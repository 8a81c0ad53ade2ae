import { sql } from 'kysely'
import type { Company, Kind, Person } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/dialect.ts'
import type { ContactIndexRow } from '../../database/tables/records.ts'
import type { Alias, MatchInput } from '../../foundation/identifier.ts'
import { inChunks } from '../../database/sql/bulk-rows.ts'
import { rawStatement, rawStatementList, runRawStatement } from '../../database/sql/raw-statement.ts'
import { suppressionHash } from '../suppression/suppression-hash.ts'
import { suppressedAmong } from '../suppression/suppressions.ts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** What a match taught: these names lead to the entity, so surely. */
export interface LearnedNames {
  names: ContactName[]
  likelihood: number
  matchedOn: readonly string[]
}

/** One entity that a question may mean. */
export interface ContactCandidate {
  entityId: number
  key: string
  likelihood: number
  matchedOn: string[]
}

export interface ContactsFound {
  /** The name that is on the suppression list: nobody is known under the question. */
  suppressed: ContactName | null
  /** The surest first; one per entity. */
  candidates: ContactCandidate[]
}

const columns = ['kind', 'type', 'value', 'entity_id', 'origin', 'likelihood', 'matched_on', 'at'] as const
const insertInto = `insert into contact_index (${columns.join(', ')}) values`
const oneRow = `(${columns.map(() => '?').join(', ')})`
/** What a match taught stays as it is. */
const insertRows = `${insertInto} [items] on conflict (value, entity_id) do update set
  origin = excluded.origin, likelihood = excluded.likelihood, matched_on = excluded.matched_on, at = excluded.at
  where contact_index.origin = 'former'`
const learnRow = rawStatement(`${insertInto} ${oneRow} on conflict (value, entity_id) do update set
  origin = excluded.origin, likelihood = excluded.likelihood, matched_on = excluded.matched_on, at = excluded.at`)

const likelihoods: Record<string, number> = { email: 0.95, phone: 0.9 }

/**
 * Brings the rows of an entity in line with the contact details of the record that is served. What a match taught stays.
 */
export async function writeContacts(
  tx: Tx,
  dialect: Dialect,
  args: {
    kind: Kind
    entityId: number
    /** Just made: it has no rows yet. */
    isNew?: boolean
    contacts: readonly ContactName[]
    /** The types of contact details that changed: what led there until now is former. */
    replaced: readonly ContactName['type'][]
    learned: LearnedNames | null
    at: number
  },
): Promise<void> {
  const { kind, entityId, isNew = false, contacts, replaced, learned, at } = args
  if (replaced.length > 0 && kind === 'people' && !isNew) await forgetContacts(tx, entityId, replaced)
  if (contacts.length > 0) {
    const rows = contactRows(kind, entityId, contacts, at)
    await runRawStatement(tx, rawStatementList(insertRows, oneRow, rows.length), dialect, rows.flatMap(valuesOf))
  }
  if (!learned) return
  const facts = { origin: 'match', likelihood: learned.likelihood, matched_on: learned.matchedOn.join(','), at }
  for (const name of learned.names)
    await runRawStatement(tx, learnRow, dialect, valuesOf({ kind, ...name, entity_id: entityId, ...facts }))
}

function valuesOf(row: ContactIndexRow): (string | number)[] {
  return columns.map((column) => row[column])
}

/** The rows of a record's own contact details. */
export function contactRows(
  kind: Kind,
  entityId: number,
  contacts: readonly ContactName[],
  at: number,
): ContactIndexRow[] {
  return contacts.map(({ type, value }) => {
    const facts = { origin: 'contact', likelihood: likelihoods[type] ?? 0, matched_on: type }
    return { kind, type, value, entity_id: entityId, at, ...facts }
  })
}

/**
 * Another version is served: the contact details of the one before lead nobody to the entity any more. Older versions still hold them: an
 * erasure by one must find the entity, and an erasure of the entity keep it out.
 */
async function forgetContacts(tx: Tx, entityId: number, types: readonly ContactName['type'][]): Promise<void> {
  await tx
    .updateTable('contact_index')
    .set({ origin: 'former' })
    .where('entity_id', '=', entityId)
    .where('origin', '=', 'contact')
    .where('type', 'in', types)
    .execute()
}

/** Versions were removed. Which of them had which contact details is not known: none leads there, and nothing of them is kept. */
export async function removeOwnContacts(tx: Tx, entityId: number): Promise<void> {
  const own = ['contact', 'former']
  await tx.deleteFrom('contact_index').where('entity_id', '=', entityId).where('origin', 'in', own).execute()
}

/** Two entities have become one. What leads to either leads to it, also where the other one had it formerly. */
export async function moveContacts(tx: Tx, from: number, into: number): Promise<void> {
  await sql`delete from contact_index where entity_id = ${into} and origin = 'former' and exists (select 1 from contact_index moved
    where moved.value = contact_index.value and moved.entity_id = ${from})`.execute(tx)
  await sql`delete from contact_index where entity_id = ${from} and exists (select 1 from contact_index held
    where held.value = contact_index.value and held.entity_id = ${into})`.execute(tx)
  await tx.updateTable('contact_index').set({ entity_id: into }).where('entity_id', '=', from).execute()
}

/** Removes the rows of entities that go. */
export async function removeContacts(tx: Tx, entityIds: readonly number[]): Promise<void> {
  for (const ids of inChunks(entityIds, 500)) {
    await tx.deleteFrom('contact_index').where('entity_id', 'in', ids).execute()
  }
}

/** The hashes that lead to entities, as names that an erasure suppresses. */
export async function contactsOf(db: Connection['db'], entityIds: readonly number[]): Promise<Alias[]> {
  if (entityIds.length === 0) return []
  return db
    .selectFrom('contact_index')
    .select(['type', 'value'])
    .where('entity_id', 'in', [...entityIds])
    .execute()
}

/** Whom some names lead to. Contact details lead only those who may see them. */
export async function findContacts(
  { db, dialect }: Connection,
  { kind, names, secret, seesContact }: { kind: Kind; names: ContactName[]; secret: string; seesContact: boolean },
): Promise<ContactsFound> {
  const hashed = new Map(names.map((name) => [suppressionHash(secret, kind, name), name]))
  const [listed] = await suppressedAmong(db, dialect, [...hashed.keys()])
  if (listed !== undefined) return { suppressed: hashed.get(listed) ?? null, candidates: [] }
  const rows = await db
    .selectFrom('contact_index')
    .innerJoin('entities', 'entities.id', 'contact_index.entity_id')
    .select(['entity_id', 'key', 'likelihood', 'matched_on'])
    .where('contact_index.kind', '=', kind)
    .where(
      'value',
      'in',
      names.map(({ value }) => value),
    )
    .where('origin', 'in', seesContact ? ['match', 'contact'] : ['match'])
    .orderBy('likelihood', 'desc')
    .limit(20)
    .execute()
  const candidates = new Map<number, ContactCandidate>()
  for (const { entity_id: entityId, key, likelihood, matched_on: on } of rows) {
    const known = candidates.get(entityId)
    if (known) known.matchedOn = [...new Set([...known.matchedOn, ...on.split(',')])]
    else candidates.set(entityId, { entityId, key, likelihood, matchedOn: on.split(',') })
  }
  return { suppressed: null, candidates: [...candidates.values()] }
}

/** A keyed hash that leads to an entity. */
export interface ContactName {
  type: 'email' | 'phone' | 'match'
  value: string
}

/** Addresses longer than this exist nowhere (RFC 5321). */
const emailAtMost = 254
const emailForm = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]{2,}$/

/** An address as it is compared: without case. What stands behind a plus stays: it may be another mailbox. Null = no address. */
export function normaliseEmail(text: string): string | null {
  const address = text.normalize('NFC').trim().toLowerCase()
  return address.length <= emailAtMost && emailForm.test(address) ? address : null
}

/** A number in E.164; null where it is none, or its country is not known. */
export function normalisePhone(text: string): string | null {
  if (text.length > 40) return null
  const number = parsePhoneNumberFromString(text)
  return number?.isPossible() ? number.number : null
}

/** The keyed hash of an address, of a number, or of a whole question. */
export function contactName(secret: string, kind: Kind, type: ContactName['type'], text: string): ContactName {
  return { type, value: suppressionHash(secret, kind, { type: `contact ${type}`, value: text }) }
}

/** The names of a record's own contact details. */
export function contactNamesIn(secret: string, record: Person | Company): ContactName[] {
  if (!('contact_info' in record) || !record.contact_info) return []
  const { email_address: address, phone_numbers: numbers } = record.contact_info
  const email = address ? normaliseEmail(address) : null
  const phones = numbers.flatMap((number) => normalisePhone(number) ?? [])
  return [
    ...(email ? [contactName(secret, 'people', 'email', email)] : []),
    ...[...new Set(phones)].slice(0, 20).map((phone) => contactName(secret, 'people', 'phone', phone)),
  ]
}

/** The names of a question: its address, its number, and all of it. How sure an answer must be is no part of it. */
export function contactNamesOf(
  secret: string,
  kind: Kind,
  input: MatchInput,
): { email: ContactName | null; phone: ContactName | null; match: ContactName } {
  const { email, phone, minLikelihood: _threshold, ...others } = input
  const asked = Object.entries({ email, phone, ...others }).filter(([, value]) => value !== undefined)
  const whole = JSON.stringify(asked.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    email: email === undefined ? null : contactName(secret, kind, 'email', email),
    phone: phone === undefined ? null : contactName(secret, kind, 'phone', phone),
    match: contactName(secret, kind, 'match', whole),
  }
}

/** Some names as one text. */
export function writeNames(names: readonly ContactName[]): string {
  return names.map(({ type, value }) => `${type} ${value}`).join(',')
}

/** The names in such a text. */
export function readNames(text: string | null): ContactName[] {
  return (text ?? '').split(',').flatMap((name) => {
    const [type, value] = name.split(' ')
    return value ? [{ type: type as ContactName['type'], value }] : []
  })
}
