import { labelPattern } from '@vitae/contract/admin'
import { kinds, type Kind } from '@vitae/contract'
import { Complaints, Failure } from '../../foundation/failure.ts'
import { parseFields, parseRequire, partsLeft } from '../../lookup/asked/lookup.ts'
import { type Expected, expectedNames, parseExpected } from '../../lookup/asked/expectations.ts'
import type { PartsAsked } from '../../records/body/record-bytes.ts'
import { type Mapping, matchNamesOf } from '../input/input-row.ts'
import { unknownField } from './record-fields.ts'

/** How the lookups of a batch are made, and what its results show. Stored as JSON. */
export interface BatchOptions {
  include: PartsAsked
  maxAgeDays: number | null
  bypassCache: boolean
  /** The top-level fields of records, as for a lookup; null = all. */
  recordFields: readonly string[] | null
  /** Dotted paths that results show separately; null = the record. */
  paths: string[] | null
  require: readonly string[] | null
  /** The expectations for every row; a row's own expectations take precedence. */
  expect: Expected | null
  /** For matches; null = the default. */
  minLikelihood: number | null
  spendTag: string | null
  /** The columns of the submitted file. */
  header: readonly string[]
}

const unasked = { recordFields: null, require: null, expect: null, minLikelihood: null, header: [] }

/** Parses the options of a stored batch. Older batches have their paths under `fields`. */
export function optionsOf({ options }: { options: string }): BatchOptions {
  type Stored = Omit<BatchOptions, 'paths'> & { fields?: string[] | null; paths?: string[] | null }
  const { fields, paths, ...stored } = JSON.parse(options) as Stored
  return { ...unasked, ...stored, paths: paths ?? fields ?? null }
}

export interface BatchSettings extends Omit<BatchOptions, 'header'> {
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
  'paths',
  'require',
  'expect',
  ...expectedNames.map((name) => `expect.${name}`),
  'min_likelihood',
  ...matchNamesOf(null).map((name) => `map.${name}`),
  ...expectedNames.map((name) => `map.expect.${name}`),
  'include_contact_info',
  'include_network_info',
  'get_verification_details',
])

/**
 * Checks the settings of a batch from its body or its query. Unknown names are refused: ignoring a misspelt
 * `max_credits` could cost all credits of the environment.
 */
export function readBatchSettings(
  given: Given,
  spendTag: string | null,
  complaints: Complaints = new Complaints(),
): BatchSettings {
  const complain: Complain = (parameter, detail) => complaints.add(parameter, detail)
  for (const name of given.keys()) if (!isBatchSetting(name)) complain(name, 'is not known')
  const kind = kinds.find((each) => each === given.get('kind')) ?? complain('kind', 'must be people or companies')
  const flag = (name: string) => readFlag(given, name, complain)
  const include = {
    contact: flag('include_contact_info'),
    network: flag('include_network_info'),
    verifications: flag('get_verification_details'),
  }
  const shown = kind ? readShown(given, kind, include, complain) : { recordFields: null, paths: null, require: null }
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
    include: partsLeft(include, shown.recordFields ?? shown.paths),
    ...shown,
    expect: kind && readExpected(given, kind, complain),
    minLikelihood: readNumber(given, 'min_likelihood', /^(0?\.\d{1,15}|0|1|1\.0{1,15})$/, 'must be 0 to 1', complain),
    spendTag,
  }
  complaints.throwAny()
  return settings
}

/** Whether this is a batch setting. */
export function isBatchSetting(name: string): boolean {
  return known.has(name)
}

function readFlag(given: Given, name: string, complain: Complain): boolean {
  const value = given.get(name) ?? false
  const flag = flags.get(typeof value === 'string' ? value.toLowerCase() : value)
  if (flag === undefined) complain(name, 'must be true or false')
  return flag ?? false
}

const isLabel = new RegExp(labelPattern)

function readName(given: Given, complain: Complain): string | null {
  const name = given.get('name') ?? null
  const isName = typeof name === 'string' && name.length <= 200 && !name.includes('\0') && isLabel.test(name)
  if (name === null || isName) return name
  return complain('name', 'must be a text of at most 200 characters, without control characters')
}

function readNumber(given: Given, name: string, form: RegExp, wish: string, complain: Complain): number | null {
  const value = given.get(name) ?? null
  if (value === null) return null
  const isRight = (typeof value === 'string' || typeof value === 'number') && form.test(String(value))
  return isRight ? Number(value) : complain(name, wish)
}

/** The fields that results show, and those that records must contain. */
function readShown(given: Given, kind: Kind, include: PartsAsked, complain: Complain) {
  const of = (name: string) => (detail: string) => void complain(name, detail)
  const fields = readNames(given, 'fields', complain)
  const require = readNames(given, 'require', complain)
  const paths = readPaths(readNames(given, 'paths', complain), kind, complain)
  if (fields && paths) complain('paths', 'cannot be combined with fields')
  const dotted = fields?.find((field) => field.includes('.'))
  if (dotted) complain('fields', 'must be top-level names, as at the lookup: give dotted paths as paths')
  return {
    recordFields: dotted ? null : parseFields(kind, fields?.join(','), of('fields')),
    paths,
    require: parseRequire(kind, require?.join(','), include, of('require')),
  }
}

/** Names as a list or as comma-separated text. */
function readNames(given: Given, name: string, complain: Complain): string[] | null {
  const value = given.get(name) ?? null
  if (value === null) return null
  const list: unknown = typeof value === 'string' ? value.split(',').map((field) => field.trim()) : value
  if (!Array.isArray(list) || list.length === 0 || list.length > 200 || !list.every((each) => typeof each === 'string'))
    return complain(name, 'must be a list of field names')
  return [...new Set(list.map(String))]
}

function readPaths(paths: string[] | null, kind: Kind, complain: Complain): string[] | null {
  for (const path of paths ?? []) {
    const problem = unknownField(kind, path)
    if (problem !== null) return complain('paths', problem)
  }
  return paths
}

/** `expect.last_name` in a query, or `{"expect": {"last_name": ...}}` in a body. */
function readExpected(given: Given, kind: Kind, complain: Complain): Expected | null {
  const body = given.get('expect') ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) return complain('expect', 'must be an object')
  const inBody = body as Record<string, unknown>
  for (const name of Object.keys(inBody))
    if (!expectedNames.some((each) => each === name)) complain(`expect.${name}`, 'is not known')
  const valueOf = (name: string) => {
    const value = given.get(`expect.${name}`) ?? inBody[name]
    if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
    complain(`expect.${name}`, 'must be a text')
    return undefined
  }
  return parseExpected(kind, valueOf, (parameter) => (detail) => void complain(parameter, detail))
}

/** The column mapping from a query. Rows are looked up by id or matched, never both. */
export function mappingOf(query: ReadonlyMap<string, string>): Mapping {
  const column = query.get('column') ?? null
  const map = new Map(
    [...query].flatMap(([name, title]) =>
      name.startsWith('map.') ? [[name.slice('map.'.length), title] as const] : [],
    ),
  )
  const matched = [...map.keys()].find((name) => !name.startsWith('expect.'))
  if (column !== null && matched !== undefined) {
    const detail = 'belongs to a match, but column says that the rows are ids'
    const parameter = `map.${matched}`.slice(0, 40)
    throw new Failure('invalid_request', { detail: `${parameter} ${detail}.`, errors: [{ parameter, detail }] })
  }
  return { column, map, kind: kinds.find((each) => each === query.get('kind')) ?? null }
}
