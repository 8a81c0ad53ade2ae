import { isDeepStrictEqual } from 'node:util'
import type { Position } from '@vitae/contract'

export type ChangeKind =
  | 'job_change'
  | 'promotion'
  | 'return'
  | 'headline'
  | 'location'
  | 'headcount'
  | 'funding'
  | 'source_changed'
  | 'field'

/** One difference between two versions of a record. */
export interface Change {
  kind: ChangeKind
  /** Dotted path; list elements are named by their identifying value: `experience[1441].positions[2021-03].title`. */
  path: string
  before: unknown
  after: unknown
}

export interface ValueChange {
  path: string
  before: unknown
  after: unknown
}

/**
 * Identity fields are never compared: the entity is the same, and only a company's key may have become the platform's
 * number.
 */
const identityFields = new Set(['member_urn', 'company_id'])
const image = /(^|_)(photo_url|logo_url|logo|image_url)$/

/** The fields that identify an element of a list, by the name of the list. */
const elementKeys: Record<string, string[]> = {
  experience: ['company_id', 'company_name'],
  education: ['school_id', 'school_name'],
  websites: ['url'],
  industries: ['id', 'name'],
  lead_investors: ['name'],
  showcase_pages: ['entity_urn', 'public_identifier', 'company_name'],
  affiliated_companies: ['entity_urn', 'public_identifier', 'company_name'],
  all_locations: ['address_line1', 'postal_code', 'city', 'country'],
}
const sectionKeys = ['name', 'title']

/** All values that differ between two records. Lists are compared by element, so reordering is not a change. */
export function diffValues(before: object, after: object): ValueChange[] {
  return diffObjects('', before as Fields, after as Fields, true)
}

type Fields = Record<string, unknown>

function diffObjects(path: string, before: Fields, after: Fields, top: boolean): ValueChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    if (image.test(name) || (top && identityFields.has(name))) return []
    return diffValue(path === '' ? name : `${path}.${name}`, name, before[name] ?? null, after[name] ?? null)
  })
}

function diffValue(path: string, name: string, before: unknown, after: unknown): ValueChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(path, name, before, after)
  if (isFields(before) && isFields(after)) return diffObjects(path, before, after, false)
  return [{ path, before, after }]
}

function diffLists(path: string, name: string, before: unknown[], after: unknown[]): ValueChange[] {
  const old = named(name, before)
  const now = named(name, after)
  const kept = [...old].flatMap(([element, value]) => {
    const place = `${path}[${element}]`
    return now.has(element)
      ? diffValue(place, name, value, now.get(element))
      : [{ path: place, before: value, after: null }]
  })
  const added = [...now].filter(([element]) => !old.has(element))
  return [...kept, ...added.map(([element, value]) => ({ path: `${path}[${element}]`, before: null, after: value }))]
}

/** The elements of a list by name. Duplicate and unnamed elements get a number. */
function named(list: string, elements: readonly unknown[]): Map<string, unknown> {
  const names = new Map<string, unknown>()
  const next = new Map([['', 0]])
  for (const element of elements) {
    const name = elementName(list, element)
    let unique = name
    for (let number = next.get(name) ?? 2; unique === '' || names.has(unique); next.set(name, ++number))
      unique = name === '' ? `${number}` : `${name} ${number}`
    names.set(unique, element)
  }
  return names
}

function elementName(list: string, element: unknown): string {
  if (typeof element === 'string') return element
  if (!isFields(element)) return ''
  if (list === 'positions') return positionName(element as unknown as Position)
  const keys = elementKeys[list] ?? sectionKeys
  const value = keys
    .map((key) => element[key])
    .find((candidate) => candidate !== null && candidate !== undefined && candidate !== '')
  return typeof value === 'string' ? value : ''
}

/** A position is identified by its start, because titles are edited; without a date, by its title. */
export function positionName(position: Position): string {
  return position.date_range?.start?.iso ?? position.title ?? ''
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
