import type { Company, Kind, Person } from '@vitae/contract'
import type { Alias } from '../identifier.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { Identity, Projection } from '../provider.ts'
import { BrokenAgreement } from './broken-agreement.ts'
import { recordValidator } from './record-validators.ts'
import { isObject, isStorableText, isTime } from './sound-values.ts'

/** Longer names cannot be looked up, and PostgreSQL cannot index them. */
const longestName = 300
const mostAliases = 100

/** A copy of the result of `project`. Throws `BrokenAgreement` unless it is a valid record with its identity. */
export function checkProjection(provider: string, kind: Kind, returned: unknown): Projection {
  const refuse = (what: string) => new BrokenAgreement(provider, `project returned ${what}`)
  if (!isObject(returned) || !isObject(returned.record)) throw refuse('no record')
  const { sourceUpdatedAt = null, unsaid, unread } = returned
  const record = recordIn(kind, returned.record, refuse)
  const identity = identityIn(returned.identity)
  if (!identity) throw refuse('an identity without a usable key, or with an invalid alias')
  const own = 'member_urn' in record ? record.member_urn : record.company_id
  if (own !== identity.key) throw refuse(`an identity whose key is not the record's own`)
  if (identity.derived && identity.aliases.length === 0 && !hasName(record))
    throw new ProviderFault('invalid', `${provider} sent a record without name and identity`)
  if (sourceUpdatedAt !== null && !isTime(sourceUpdatedAt)) throw refuse('a sourceUpdatedAt that is not a time')
  const lists = { unsaid: textList(unsaid), unread: textList(unread) }
  if (lists.unsaid === null || lists.unread === null)
    throw refuse('unsaid or unread fields that are not a list of texts')
  // The type makes the compiler require every part of a projection here.
  const parts: Record<keyof Projection, unknown> = { record, identity, sourceUpdatedAt, ...lists }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as unknown as Projection
}

/** The record after a JSON round trip, as it will be stored. Throws if it does not have the contract's shape. */
function recordIn(kind: Kind, given: object, refuse: (what: string) => BrokenAgreement): Person | Company {
  const text = JSON.stringify(given)
  const record: unknown = JSON.parse(text)
  const validator = recordValidator(kind)
  if (!validator.Check(record)) {
    const [error] = validator.Errors(record)
    throw refuse(`a record without the contract's shape: ${error ? `${error.instancePath} ${error.message}` : kind}`)
  }
  // JSON escapes a lone surrogate, so the full check runs only if the text contains such an escape.
  if (/\\ud[89a-f]/.test(text) && !areTextsStorable(record)) throw refuse('a text that cannot be stored')
  return record
}

function areTextsStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (!isObject(value)) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && areTextsStorable(inner))
}

function hasName(record: Person | Company): boolean {
  const names = 'company_name' in record ? [record.company_name] : [record.first_name, record.last_name]
  return names.some((name) => name !== null && name.trim() !== '')
}

function identityIn(value: unknown): Identity | null {
  if (!isObject(value) || typeof value.derived !== 'boolean' || !isName(value.key)) return null
  const { key, derived, aliases } = value
  if (!Array.isArray(aliases) || aliases.length > mostAliases) return null
  const copies = aliases.flatMap((alias) => aliasIn(alias) ?? [])
  return copies.length === aliases.length ? { key, derived, aliases: copies } : null
}

function aliasIn(value: unknown): Alias | null {
  if (!isObject(value)) return null
  const { type, value: name } = value
  return isName(type) && isName(name) ? { type, value: name } : null
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestName && isStorableText(value)
}

/** A copy of a list of texts; undefined if it was omitted, null for anything else. */
function textList(value: unknown): string[] | null | undefined {
  if (value === undefined) return undefined
  const texts: unknown[] | null = Array.isArray(value) ? [...value] : null
  return texts?.every((one) => typeof one === 'string' && isStorableText(one)) ? (texts as string[]) : null
}
