import type { ProviderSettings } from '../provider.ts'
import type { Place, SourceFile } from './read-yaml.ts'
import type { ProviderFile } from './schema.ts'

/** The named values for templates. */
export type Values = Readonly<Record<string, string | undefined>>
type IsKnown = (name: string) => boolean

/** The names of match signals. */
export const matchNames = [
  ...['email', 'phone', 'name', 'first_name', 'last_name', 'company', 'company_domain', 'company_id', 'location'],
  ...['domain', 'country'],
]
const taken = [
  ...[...matchNames, 'key', 'url', 'timeout_ms', 'concurrency', 'budget', 'cost', 'raw_days', 'history_days'],
  ...['store_days', 'id', 'host', 'max_age_days'],
]
/** The characters allowed in a header, and so in any part of a request. */
export const printable = /^[\x20-\x7e]*$/

/** Compiles the declared variables. Each must be used, and no name may be taken. */
function compileVariables(source: SourceFile, { variables = {}, ...rest }: ProviderFile) {
  const text = JSON.stringify(rest)
  for (const name of Object.keys(variables)) {
    const place = ['variables', name]
    if (taken.includes(name)) throw source.fault(place, `the name "${name}" is taken`, { atKey: true })
    if (!text.includes(`{${name}}`) && !text.includes(`{${name}:number}`))
      throw source.fault(place, `the variable "${name}" is not used`, { atKey: true })
  }
  return {
    names: Object.keys(variables),
    valuesOf({ variables: given = {} }: ProviderSettings): Values {
      const known = Object.entries(variables).map(([name, one]) => [name, given[name] ?? one.default] as const)
      if (known.some(([, value]) => value !== undefined && !printable.test(value)))
        throw new TypeError('a variable contains characters that a request must not have')
      return Object.fromEntries(known)
    },
  }
}

/** Compiles a text with `{names}`. It is undefined if any of their values is missing. */
export function compileTemplate(source: SourceFile, place: Place, text: string, isKnown: IsKnown) {
  const parts = text.split(/[{}]/)
  const names = parts.filter((_part, index) => index % 2 === 1)
  if (parts.length % 2 === 0) throw source.fault(place, 'a brace is not closed')
  const unknown = names.find((name) => !isKnown(name))
  if (unknown !== undefined) throw source.fault(place, `the value {${unknown}} is not available here`)
  return (values: Values, encode = (value: string) => value): string | undefined => {
    if (names.some((name) => values[name] === undefined)) return undefined
    return parts.map((part, index) => (index % 2 === 1 ? encode(values[part] ?? '') : part)).join('')
  }
}

type Json = (values: Values) => unknown
/** A text of only `{id:number}` becomes a JSON number. */
const asNumber = /(?<=^\{[a-z_]+):number\}$/

/** Compiles a JSON value with templates. Members without a value are left out. */
export function compileJson(source: SourceFile, place: Place, value: unknown, isKnown: IsKnown): Json {
  if (typeof value === 'string') {
    const template = compileTemplate(source, place, value.replace(asNumber, '}'), isKnown)
    const isNumber = value === '{max_age_days}' || asNumber.test(value)
    return (values) => {
      const known = template(values)
      return isNumber && Number.isSafeInteger(Number(known)) ? Number(known) : known
    }
  }
  if (typeof value !== 'object' || value === null) return () => value
  const members = Object.entries(value).map(([name, inner]) => {
    const key = Array.isArray(value) ? Number(name) : name
    return [name, compileJson(source, [...place, key], inner, isKnown)] as const
  })
  return (values) => {
    const known = members.map(([name, inner]) => [name, inner(values)]).filter(([, one]) => one !== undefined)
    return Array.isArray(value) ? known.map(([, one]) => one) : (Object.fromEntries(known) as unknown)
  }
}

/** Headers that a file may not set: of the connection, or set by the service. */
const ofConnection =
  /^(?:host|content-length|content-type|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding|cookie)$/i
const headerName = /^[A-Za-z\d-]{1,60}$/

/** Checks the file's URL, and compiles the parts that all requests share. */
export function compileEndpoint(source: SourceFile, file: ProviderFile) {
  const variables = compileVariables(source, file)
  const { url, auth, headers = {} } = file
  const wrong = urlFault(url)
  if (wrong) throw source.fault(['url'], wrong)
  const ways = [auth.header, auth.bearer, auth.query].filter((one) => one !== undefined)
  if (ways.length !== 1) throw source.fault(['auth'], 'auth has either header, bearer or query')
  const isHeader = auth.header === undefined || (headerName.test(auth.header) && !ofConnection.test(auth.header))
  if (!isHeader) throw source.fault(['auth'], 'this header cannot carry a key')
  const fixed = Object.entries(headers).map(([name, value]) => {
    const place = ['headers', name]
    if (ofConnection.test(name)) throw source.fault(place, `a file must not set the header ${name}`, { atKey: true })
    if (!printable.test(value)) throw source.fault(place, 'a header may contain only printable ASCII')
    const isKnown = (one: string) => one === 'host' || variables.names.includes(one)
    return [name.toLowerCase(), compileTemplate(source, place, value, isKnown)] as const
  })
  const ofKey = auth.bearer ? 'authorization' : auth.header?.toLowerCase()
  const of = (settings: ProviderSettings) => {
    const { key } = settings
    const values = { ...variables.valuesOf(settings), host: new URL(settings.url).host }
    const sent = fixed.map(([name, template]) => [name, template(values)]).filter(([, value]) => value !== undefined)
    const own = { accept: 'application/json', ...(Object.fromEntries(sent) as Record<string, string>) }
    if (auth.query !== undefined) return { headers: own, query: { [auth.query]: key } }
    return { headers: { ...own, ...(ofKey ? { [ofKey]: auth.bearer ? `Bearer ${key}` : key } : {}) }, query: {} }
  }
  return { ...variables, of }
}
export type Endpoint = ReturnType<typeof compileEndpoint>

function urlFault(url: string): string | null {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') return 'the address must begin with https://'
  const { hostname, search, hash, username, password } = new URL(url)
  if (search || hash || username || password) return 'the address may have only a host and a path'
  // An IP address or a local name would let a pasted file probe the internal network.
  const isPublic = /\.[a-z][a-z\d-]*$/.test(hostname) && !/\.(?:local|localhost|internal|lan|home|arpa)$/.test(hostname)
  return isPublic && !/[{}]/.test(url) ? null : 'the address must name one public host'
}
