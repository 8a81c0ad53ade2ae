import { kinds, type Kind } from '@vitae/contract'
import { Failure } from '../foundation/failure.ts'
import type { PartsAsked } from '../records/body/record-bytes.ts'
import { unknownField } from './record-fields.ts'

/** How the lookups of a batch are made, and what its results show. Kept as JSON. */
export interface BatchOptions {
  include: PartsAsked
  maxAgeDays: number | null
  bypassCache: boolean
  /** Null = the whole record. */
  fields: string[] | null
  spendTag: string | null
}

/** The options of a stored batch, as its submission wrote them. */
export function optionsOf({ options }: { options: string }): BatchOptions {
  return JSON.parse(options) as BatchOptions
}

export interface BatchSettings extends BatchOptions {
  kind: Kind
  name: string | null
  maxCredits: number | null
}

type Given = ReadonlyMap<string, unknown>
type Complain = (parameter: string, detail: string) => null

const flags = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const known: ReadonlySet<string> = new Set([
  'kind',
  'ids',
  'column',
  'name',
  'max_credits',
  'max_age_days',
  'bypass_cache',
  'fields',
  'include_contact_info',
  'include_network_info',
  'get_verification_details',
])

/**
 * Checks what was said about a batch, in its body or its query. A name that means nothing is refused: a misspelt
 * `max_credits` that is ignored would cost all that the environment has.
 */
export function readBatchSettings(given: Given, spendTag: string | null): BatchSettings {
  const errors: { parameter: string; detail: string }[] = []
  const complain: Complain = (parameter, detail) => {
    errors.push({ parameter, detail })
    return null
  }
  for (const name of given.keys()) if (!known.has(name)) complain(name.slice(0, 40), 'is not known')
  const kind = kinds.find((each) => each === given.get('kind')) ?? complain('kind', 'must be people or companies')
  const flag = (name: string) => readFlag(given, name, complain)
  const settings = {
    kind: kind ?? 'people',
    name: readName(given, complain),
    maxCredits: readNumber(given, 'max_credits', /^\d{1,15}$/, 'must be a whole number of credits', complain),
    maxAgeDays: readNumber(
      given,
      'max_age_days',
      /^\d{1,15}(\.\d+)?(e-\d{1,3})?$/,
      'must be a plain number of days such as 0, 0.5 or 7',
      complain,
    ),
    bypassCache: flag('bypass_cache'),
    include: {
      contact: flag('include_contact_info'),
      network: flag('include_network_info'),
      verifications: flag('get_verification_details'),
    },
    fields: kind && readFields(given, kind, complain),
    spendTag,
  }
  if (errors.length === 0) return settings
  const detail = errors.map((error) => `${error.parameter} ${error.detail}`).join('; ')
  throw new Failure('invalid_request', { detail: `${detail}.`, errors })
}

function readFlag(given: Given, name: string, complain: Complain): boolean {
  const value = given.get(name) ?? false
  const flag = flags.get(typeof value === 'string' ? value.toLowerCase() : value)
  if (flag === undefined) complain(name, 'must be true or false')
  return flag ?? false
}

function readName(given: Given, complain: Complain): string | null {
  const name = given.get('name') ?? null
  if (name === null || (typeof name === 'string' && name.length <= 200)) return name
  return complain('name', 'must be a text of at most 200 characters')
}

function readNumber(given: Given, name: string, form: RegExp, wish: string, complain: Complain): number | null {
  const value = given.get(name) ?? null
  if (value === null) return null
  const isRight = (typeof value === 'string' || typeof value === 'number') && form.test(String(value))
  return isRight ? Number(value) : complain(name, wish)
}

function readFields(given: Given, kind: Kind, complain: Complain): string[] | null {
  const value = given.get('fields') ?? null
  if (value === null) return null
  const list: unknown = typeof value === 'string' ? value.split(',').map((field) => field.trim()) : value
  if (!Array.isArray(list) || list.length === 0 || list.length > 200 || !list.every((each) => typeof each === 'string'))
    return complain('fields', 'must be names of fields')
  const fields = [...new Set(list.map(String))]
  for (const field of fields) {
    const problem = unknownField(kind, field)
    if (problem !== null) return complain('fields', problem)
  }
  return fields
}
