import {
  Company,
  inContractOrder,
  Person,
  type DateRange,
  type ExperienceGroup,
  type Kind,
  type PartialDate,
} from '@vitae/contract'
import { isDeepStrictEqual } from 'node:util'
import { recordValidator } from '../gate/record-validators.ts'

const orders = { people: inContractOrder(Person), companies: inContractOrder(Company) }
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))

/**
 * The contract rules that a record breaks, in words. Covers every rule that the record alone can show. Derived from the
 * contract, not from the mapping code.
 */
export function brokenRules(kind: Kind, record: unknown): string[] {
  const validator = recordValidator(kind)
  if (!validator.Check(record)) return validator.Errors(record).map((error) => `${error.instancePath} ${error.message}`)
  return [
    ...broken({
      'the keys stand in the order of the contract': JSON.stringify(record) === JSON.stringify(orders[kind](record)),
      'the record survives JSON': isDeepStrictEqual(JSON.parse(JSON.stringify(record)), record),
    }),
    ...valuesIn(record).flatMap(({ path, value }) => broken(rulesOfValue(path, value), path)),
    ...(kind === 'people' && recordValidator('people').Check(record) ? personRules(record) : []),
    ...(kind === 'companies' && recordValidator('companies').Check(record) ? companyRules(record) : []),
  ]
}

/** The names of the rules that are false, prefixed with the path. */
function broken(rules: Record<string, boolean>, path = ''): string[] {
  return Object.keys(rules).flatMap((rule) => (rules[rule] ? [] : `${path} ${rule}`))
}

/** Every value inside a record with its path, without list positions. */
function valuesIn(value: unknown, path = ''): { path: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  const inner = Object.entries(value).flatMap(([key, one]) =>
    valuesIn(one, Array.isArray(value) ? path : path ? `${path}.${key}` : key),
  )
  return [{ path, value }, ...inner]
}

function rulesOfValue(path: string, value: unknown): Record<string, boolean> {
  // The contract does not define the contents of these items.
  if (path.startsWith('verifications.sections.items')) return {}
  if (typeof value === 'string') return rulesOfText(path, path.slice(path.lastIndexOf('.') + 1), value)
  if (typeof value === 'number') return { 'is a whole number up to 2^53': Number.isSafeInteger(value) }
  if (isPeriod(value)) return { 'does not end before it begins': !endsBefore(value) }
  return isDate(value) ? rulesOfDate(value) : {}
}

function isPeriod(value: unknown): value is DateRange {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value && isDate(value.end)
}

function endsBefore({ start, end }: DateRange): boolean {
  return start !== null && end !== null && isSurelyEarlier(end.iso, start.iso)
}

function rulesOfText(path: string, key: string, value: string): Record<string, boolean> {
  const isId = key === 'id' || key.endsWith('_id') || key.endsWith('_urn')
  return {
    'has no half of a surrogate pair': value.isWellFormed(),
    ...(isId ? { 'is an id without blanks': /^[^\s\0]+$/.test(value) } : {}),
    ...(key === 'country_code' ? { 'is an upper-case country code': isCountry(value, 'toUpperCase') } : {}),
    ...(path.startsWith('locations.') && key === 'country'
      ? { 'is a lower-case country code': isCountry(value, 'toLowerCase') }
      : {}),
    ...(key === 'currency' ? { 'is a lower-case currency code': currencies.has(value) } : {}),
    ...(key === 'profile_url' || key === 'platform_url'
      ? { 'is an https page without a trailing slash, query or fragment': isPage(value) }
      : {}),
  }
}

function isCountry(code: string, wanted: 'toUpperCase' | 'toLowerCase'): boolean {
  return /^[a-z]{2}$/i.test(code) && code === code[wanted]() && countries.of(code.toUpperCase()) !== undefined
}

function isPage(value: string): boolean {
  return URL.canParse(value) && /^https:\/\/[^/?#]+\/[^?#]*[^/?#]$/.test(value)
}

function isDate(value: unknown): value is PartialDate & { iso?: string } {
  return typeof value === 'object' && value !== null && 'year' in value && 'month' in value && 'day' in value
}

function rulesOfDate({ year, month, day, iso }: PartialDate & { iso?: string }): Record<string, boolean> {
  const parts = [String(year).padStart(4, '0'), month, day].filter((part) => part !== null)
  const written = parts.map((part) => String(part).padStart(2, '0')).join('-')
  const days = new Date(Date.UTC(2000, month ?? 1, 0)).getUTCDate()
  return {
    'has no day without a month': month !== null || day === null,
    'is a day that exists': (day ?? 1) <= days,
    ...(iso === undefined ? {} : { 'is as precise as its iso text': iso === written }),
  }
}

function personRules(person: Person): string[] {
  const ids = person.experience.flatMap((group) => group.company_id ?? [])
  const positions = person.experience.map((group) => group.positions.map((one) => one.date_range))
  const newest = positions.map(([first]) => first ?? null)
  return broken({
    'each company is one group': ids.length === new Set(ids).size,
    'every group has a position': person.experience.every((group) => group.positions.length > 0),
    'the positions of a group are ordered newest first': positions.every(areInOrder),
    'groups are ordered by their newest position': areInOrder(newest),
    'a group is ongoing exactly while one of its positions is': person.experience.every(isSpanOpenRightly),
  })
}

/**
 * Whether the periods are in the contract's order: current ones, then past ones by end and start, then unknown ones.
 */
export function areInOrder(ranges: (DateRange | null)[]): boolean {
  return ranges.every((one, index) => ranges.slice(index + 1).every((later) => mayPrecede(one, later)))
}

function mayPrecede(a: DateRange | null, b: DateRange | null): boolean {
  const stage = (range: DateRange | null) => (range === null ? 2 : range.end === null ? 0 : 1)
  if (stage(a) !== stage(b)) return stage(a) < stage(b)
  // Current positions keep the provider's order, which the record does not show.
  if (!a?.end || !b?.end) return true
  const [one, two] = [latestOf(a.end.iso), latestOf(b.end.iso)]
  return one === two ? latestStart(a) >= latestStart(b) : one > two
}

/** The latest day that an iso date can mean: 2021 means 2021-12-31. */
function latestOf(iso: string): string {
  return iso + '0000-12-31'.slice(iso.length)
}

/** The latest possible start. It is never later than the end. */
function latestStart({ start, end }: DateRange): string {
  const days = [start, end].flatMap((date) => (date ? latestOf(date.iso) : []))
  return start ? (days.toSorted()[0] ?? '') : ''
}

/** Whether `a` is earlier at the precision that both dates share: 2019 is not surely earlier than 2019-08. */
function isSurelyEarlier(a: string, b: string): boolean {
  const precision = Math.min(a.length, b.length)
  return a.slice(0, precision) < b.slice(0, precision)
}

function isSpanOpenRightly({ date_range: span, positions }: ExperienceGroup): boolean {
  const isOpen = (range: DateRange | null) => range !== null && range.end === null
  return isOpen(span) === positions.some((one) => isOpen(one.date_range))
}

function companyRules(company: Company): string[] {
  const { locations, staff_info: staff } = company
  const head = locations?.headquarter
  const listed =
    locations?.all_locations?.filter((one) => head && isDeepStrictEqual({ ...one, is_headquarter: true }, head)) ?? []
  const range = staff?.staff_range
  return broken({
    'the headquarters is flagged': !head || head.is_headquarter === true,
    'the headquarters is flagged among all locations too': listed.every((one) => one.is_headquarter === true),
    'a headcount range does not end before it starts': !range || (range.start ?? 0) <= (range.end ?? Infinity),
    'summaries carry a URN of a company': [
      ...(company.showcase_pages ?? []),
      ...(company.affiliated_companies ?? []),
    ].every(({ entity_urn: urn }) => urn === null || /^urn:[^:]+:company:.+$/.test(urn)),
  })
}
