import { normalised } from '@vitae/provider'
import { sql } from 'kysely'
import type { Company, Kind, Person } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import type { ContactIndexRow } from '../../database/tables/records.ts'
import type { Alias, MatchInput } from '../../foundation/identifier.ts'
import { inChunks, sendPrepared } from '../../database/sql/prepared.ts'
import { suppressionHash } from '../suppression/suppression-hash.ts'
import { suppressedAmong } from '../suppression/suppressions.ts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Contact names that a match linked to an entity, with its likelihood. */
export interface LearnedNames {
  names: ContactName[]
  likelihood: number
  matchedOn: readonly string[]
}

/** An entity that a question may mean. */
export interface ContactCandidate {
  entityId: number
  key: string
  likelihood: number
  matchedOn: string[]
}

export interface ContactsFound {
  /** The name that is on the suppression list: the question must find nobody. */
  suppressed: ContactName | null
  /** Most likely first; one per entity. */
  candidates: ContactCandidate[]
}

const columns = ['kind', 'type', 'value', 'entity_id', 'origin', 'likelihood', 'matched_on', 'at'] as const
const insertInto = `insert into contact_index (${columns.join(', ')}) values`
const oneRow = `(${columns.map(() => '?').join(', ')})`
/** Entries learned from a match are not changed. */
const insertRows = `${insertInto} [items] on conflict (value, entity_id) do update set
  origin = excluded.origin, likelihood = excluded.likelihood, matched_on = excluded.matched_on, at = excluded.at
  where contact_index.origin = 'former'`
const learnRow = `${insertInto} ${oneRow} on conflict (value, entity_id) do update set
  origin = excluded.origin, likelihood = excluded.likelihood, matched_on = excluded.matched_on, at = excluded.at`

const likelihoods: Record<string, number> = { email: 0.95, phone: 0.9 }

/**
 * Updates the index entries of an entity to the contact details of its served record. Entries learned from a match
 * stay.
 */
export async function writeContacts(
  tx: Tx,
  dialect: Dialect,
  args: {
    kind: Kind
    entityId: number
    /** The entity is new and has no entries yet. */
    isNew?: boolean
    contacts: readonly ContactName[]
    /** The types of contact details that changed: their previous entries become `former`. */
    replaced: readonly ContactName['type'][]
    learned: LearnedNames | null
    at: number
  },
): Promise<void> {
  const { kind, entityId, isNew = false, contacts, replaced, learned, at } = args
  if (replaced.length > 0 && kind === 'people' && !isNew) await forgetContacts(tx, entityId, replaced)
  if (contacts.length > 0) {
    const rows = contactRows(kind, entityId, contacts, at)
    await sendPrepared(tx, dialect, { text: insertRows, item: oneRow, count: rows.length }, rows.flatMap(valuesOf))
  }
  if (!learned) return
  const facts = { origin: 'match', likelihood: learned.likelihood, matched_on: learned.matchedOn.join(','), at }
  for (const name of learned.names)
    await sendPrepared(tx, dialect, learnRow, valuesOf({ kind, ...name, entity_id: entityId, ...facts }))
}

function valuesOf(row: ContactIndexRow): (string | number)[] {
  return columns.map((column) => row[column])
}

/** The index entries of a record's own contact details. */
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
 * Another version is served, so the previous contact details no longer find the entity. Older versions still contain
 * them, so the entries stay as `former`: an erasure by such a detail must find the entity, and an erasure of the entity
 * must suppress it.
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

/**
 * Versions were removed, and it is unknown which contact details they had. So all of the entity's own entries are
 * deleted.
 */
export async function removeOwnContacts(tx: Tx, entityId: number): Promise<void> {
  const own = ['contact', 'former']
  await tx.deleteFrom('contact_index').where('entity_id', '=', entityId).where('origin', 'in', own).execute()
}

/** Two entities were merged: entries of either now find the survivor, even if one of them was former. */
export async function moveContacts(tx: Tx, from: number, into: number): Promise<void> {
  await sql`delete from contact_index where entity_id = ${into} and origin = 'former' and exists (select 1 from contact_index moved
    where moved.value = contact_index.value and moved.entity_id = ${from})`.execute(tx)
  await sql`delete from contact_index where entity_id = ${from} and exists (select 1 from contact_index held
    where held.value = contact_index.value and held.entity_id = ${into})`.execute(tx)
  await tx.updateTable('contact_index').set({ entity_id: into }).where('entity_id', '=', from).execute()
}

/** Deletes the entries of entities that are about to be removed. */
export async function removeContacts(tx: Tx, entityIds: readonly number[]): Promise<void> {
  for (const ids of inChunks(entityIds, 500)) {
    await tx.deleteFrom('contact_index').where('entity_id', 'in', ids).execute()
  }
}

/** The contact hashes of entities, as names that an erasure suppresses. */
export async function contactsOf(db: Connection['db'], entityIds: readonly number[]): Promise<Alias[]> {
  if (entityIds.length === 0) return []
  return db
    .selectFrom('contact_index')
    .select(['type', 'value'])
    .where('entity_id', 'in', [...entityIds])
    .execute()
}

/** The entities that match some contact names. Contact details find someone only for callers that may see them. */
export async function findContacts(
  { db, dialect }: Connection,
  { kind, names, secret, seesContact }: { kind: Kind; names: ContactName[]; secret: string; seesContact: boolean },
): Promise<ContactsFound> {
  const hashed = new Map(names.map((name) => [suppressionHash(secret, kind, name), name]))
  const listed = await suppressedAmong(db, dialect, [...hashed.keys()])
  const suppressed = [...hashed].find(([hash]) => listed.has(hash))?.[1]
  if (suppressed) return { suppressed, candidates: [] }
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
    .orderBy('entity_id')
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

/** A keyed hash under which an entity is found. */
export interface ContactName {
  type: 'email' | 'phone' | 'match'
  value: string
}

/** The maximum length of an email address (RFC 5321). */
const emailAtMost = 254
const emailForm = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]{2,}$/

/**
 * An email address in comparable form: lower case. The part after a plus stays, because it may be another mailbox. Null
 * = not an address.
 */
export function normaliseEmail(text: string): string | null {
  const address = normalised(text, 'NFC').trim().toLowerCase()
  return address.length <= emailAtMost && emailForm.test(address) ? address : null
}

/** A phone number in E.164; null if it is not a number or its country is unknown. */
export function normalisePhone(text: string): string | null {
  if (text.length > 40) return null
  const number = parsePhoneNumberFromString(text)
  return number?.isPossible() ? number.number : null
}

/** The keyed hash of an email address, a phone number or a whole question. */
export function contactName(secret: string, kind: Kind, type: ContactName['type'], text: string): ContactName {
  return { type, value: suppressionHash(secret, kind, { type: `contact ${type}`, value: text }) }
}

/** The hashed names of a record's own contact details. */
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

/**
 * The hashed names of a question: its email address, its phone number and the whole question. The likelihood threshold
 * is not part of them.
 */
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

/** Names as one string. */
export function writeNames(names: readonly ContactName[]): string {
  return names.map(({ type, value }) => `${type} ${value}`).join(',')
}

/** Parses the string of `writeNames`. */
export function readNames(text: string | null): ContactName[] {
  return (text ?? '').split(',').flatMap((name) => {
    const [type, value] = name.split(' ')
    return value ? [{ type: type as ContactName['type'], value }] : []
  })
}
