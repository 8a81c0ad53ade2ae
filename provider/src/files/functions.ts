import { cityInText, countryCode } from '../mapping/country.ts'
import { parsePartialDate, withoutDay, yearOnly } from '../mapping/partial-date.ts'
import { parseAddressLine } from '../mapping/places/address-line.ts'
import { canonicalPageUrl, companyPageUrl, slugFromUrl } from '../mapping/platform-url.ts'
import { flag, integer, plainText, text, texts, withFacts } from '../mapping/text.ts'
import { splitName } from '../shared/person-parts.ts'

/** A function of the mapping language. `each` changes every value, `all` combines several into one. Functions never throw. */
export interface NamedFunction {
  /** The result in words, for the guide. */
  says: string
  /** The minimum and maximum number of arguments. */
  takes: readonly [number, number]
  /** The numbers of values that it combines; absent if it changes each value separately. */
  values?: readonly number[]
  apply(values: readonly unknown[], given: readonly string[]): unknown
}

type Takes = NamedFunction['takes']

function each(says: string, apply: (value: unknown, given: readonly string[]) => unknown, takes: Takes = [0, 0]) {
  return { says, takes, apply: ([value]: readonly unknown[], given: readonly string[]) => apply(value, given) }
}

function all(says: string, values: readonly number[], apply: NamedFunction['apply'], takes: Takes = [0, 0]) {
  return { says, takes, values, apply }
}

const many = [1, 2, 3, 4, 5, 6, 7, 8]
const longest = 100_000
const pages = ['in', 'company', 'school', 'showcase'] as const

/** All functions of the mapping language. Files cannot define any. */
export const functions: Readonly<Record<string, NamedFunction>> = {
  plain_text: each('the text of HTML', plainText),
  not: each('the opposite of a flag', (value) => (flag(value) === null ? null : flag(value) === false)),
  null_if: each(
    'nothing, if the value is one of the words',
    (value, words) => (isOneOf(value, words) ? null : value),
    [1, 10],
  ),
  is: each('whether the value is one of the words', isOneOf, [1, 10]),
  before: each('the text before the first such part', (value, [part = '']) => cut(value, part, 'before'), [1, 1]),
  after: each('the text after the last such part', (value, [part = '']) => cut(value, part, 'after'), [1, 1]),
  strip_prefix: each('the text without this beginning', stripPrefix, [1, 1]),
  split: each('the parts of a text', (value, [by = '']) => short(value)?.split(by || ',') ?? null, [1, 1]),
  first: each('the first item of a list', (value) => (Array.isArray(value) ? (value[0] as unknown) : value)),
  first_name: each('the first word of a name', (value) => splitName(value).first),
  last_name: each('a name without its first word', (value) => splitName(value).last),
  month: each('a date or period without days', (value) => inDates(value, withoutDay)),
  year: each('a date or period without months', (value) => inDates(value, yearOnly)),
  no_invented: each('without days; 1 January and 31 December mean the year', (value) =>
    inDates(value, withoutInvented),
  ),
  period: each('the period in one text: `Feb 2014 - Present`', periodIn),
  issued: each('the validity in `Issued Oct 2017 · Expires Oct 2020`', issuedIn),
  month_name: each('a date for people to read: `June 2014`', monthName),
  country: each('the code of a country', countryCode),
  city: each('the city in `City, Region, Country`', cityInText),
  address: each('the parts of an address in one line', (value) => parseAddressLine(value)),
  slug: each('the slug in the URL of a page', (value) => slugFromUrl(value, [...pages])),
  company_page: each('the URL of a company with this slug or number', companyPage),
  number: each('the digits at the end of a URL or URN', digitsAtEnd),
  url: each('a URL with its scheme', urlOf),
  join: all('the texts in one', many, (values, [by = ', ']) => texts(values.flat()).join(by) || null, [0, 1]),
  concat: all('the lists in one', many, (values) => values.flat()),
  if_equal: all('the third value, if the first two are the same', [3], ([a, b, value]) =>
    text(a) !== null && text(a) === text(b) ? value : null,
  ),
  parts: all('a date of year and month, or a period of both dates', [2, 4], dateOfParts),
  facts: all('a description, and a line for each named fact', many.slice(1), describedBy, [1, 7]),
}

/** The fault in the number of arguments, or null. */
export function argumentFault({ takes: [least, most] }: NamedFunction, given: readonly string[]): string | null {
  if (given.length >= least && given.length <= most) return null
  const wanted = most === 0 ? 'no' : least === most ? String(least) : `${least} to ${most}`
  return `takes ${wanted} argument${most > 1 ? 's' : ''}, not ${given.length}`
}

function isOneOf(value: unknown, words: readonly string[]): boolean | null {
  const folded = typeof value === 'boolean' ? String(value) : text(value)?.toLowerCase()
  return folded === undefined ? null : words.some((word) => word.toLowerCase() === folded)
}

/** A text that may be split; longer ones are not names, codes or word lists. */
function short(value: unknown): string | null {
  const known = text(value)
  return known !== null && known.length <= longest ? known : null
}

function cut(value: unknown, part: string, side: 'before' | 'after'): string | null {
  const known = short(value)
  const at = side === 'before' ? known?.indexOf(part) : known?.lastIndexOf(part)
  if (known === null || at === undefined || at < 0) return known
  return text(side === 'before' ? known.slice(0, at) : known.slice(at + part.length))
}

function stripPrefix(value: unknown, [start = '']: readonly string[]): string | null {
  const known = short(value)
  return known?.startsWith(start) ? text(known.slice(start.length)) : known
}

type Coarse = typeof withoutDay

/** Reduces the precision of a date or of both ends of a period. Other values, such as `Present`, stay unchanged. */
function inDates(value: unknown, coarse: Coarse): unknown {
  if (isPeriod(value)) return { start: inDates(value.start, coarse), end: inDates(value.end, coarse) }
  const date = parsePartialDate(value)
  return date ? coarse(date) : value
}

/** Whether a value is a period with a start or an end. */
export function isPeriod(value: unknown): value is { start?: unknown; end?: unknown } {
  return typeof value === 'object' && value !== null && ('start' in value || 'end' in value)
}

const withoutInvented: Coarse = (date) => {
  const isEdge = (date?.month === 1 && date.day === 1) || (date?.month === 12 && date.day === 31)
  return isEdge ? yearOnly(date) : withoutDay(date)
}

function periodIn(value: unknown): unknown {
  const known = short(value)
  if (known === null) return isPeriod(value) ? value : null
  const separator = [' - ', ' – ', ' — ', ' to ', '–', '—'].find((one) => known.includes(one))
  if (separator === undefined) return { start: known, end: known }
  const [start = null, end = null] = known.split(separator)
  return { start: text(start), end: text(end?.split('·')[0]) }
}

function issuedIn(value: unknown): unknown {
  const known = short(value)
  const at = known?.toLowerCase().indexOf('expire') ?? -1
  if (known === null || at < 0) return { start: known, end: null }
  const end = known.slice(at).split(' ').slice(1).join(' ')
  return { start: text(known.slice(0, at)), end: text(end) }
}

const months = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

function monthName(value: unknown): string | null {
  const date = parsePartialDate(value)
  if (!date) return null
  return date.month === null ? String(date.year) : `${months.format(Date.UTC(2000, date.month - 1))} ${date.year}`
}

function companyPage(value: unknown): string | null {
  const known = text(value)
  return known === null ? null : (canonicalPageUrl(known) ?? (known.includes('/') ? null : companyPageUrl(known)))
}

function digitsAtEnd(value: unknown): string | null {
  return /(?:^|[:/])(\d{1,19})\/*$/.exec(short(value) ?? '')?.[1] ?? null
}

function urlOf(value: unknown): string | null {
  const known = short(value)
  if (known === null) return null
  const whole = known.includes('://') ? known : `https://${known}`
  return URL.canParse(whole) && /^https?:$/.test(new URL(whole).protocol) ? whole : null
}

function dateOfParts(values: readonly unknown[]): unknown {
  const [year, month, endYear, endMonth] = values
  const date = (ofYear: unknown, ofMonth: unknown) =>
    integer(ofYear) === null ? null : { year: ofYear, month: ofMonth }
  return values.length === 2 ? date(year, month) : { start: date(year, month), end: date(endYear, endMonth) }
}

function describedBy([description, ...values]: readonly unknown[], names: readonly string[]): string | null {
  const facts = Object.fromEntries(names.map((name, index) => [name, values[index]]))
  return withFacts(plainText(description), facts)
}

/** Whether a value is empty: absent, null, or an empty text, list or object. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
