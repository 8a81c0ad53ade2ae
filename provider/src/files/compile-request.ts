import type { Kind } from '@vitae/contract'
import { type Identifier, isDerivedCompanyId, type MatchSignal } from '../identifier.ts'
import { companyPageUrl, profileUrl } from '../mapping/platform-url.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { ProviderAsk, ProviderSettings, WireRequest } from '../provider.ts'
import { endpointUrl } from '../wire/endpoint-url.ts'
import type { Place, SourceFile } from './read-yaml.ts'
import type { RequestFile } from './schema.ts'
import { compileJson, compileTemplate, type Endpoint, matchNames, type Values } from './templates.ts'

type Whole = { source: SourceFile; endpoint: Endpoint }

/** Compiles one request of a kind. */
export function compileRequest({ source, endpoint }: Whole, kind: Kind, place: Place, file: RequestFile) {
  const by = [file.by].flat()
  checkRequest(source, kind, place, file, by)
  const method = file.get === undefined ? 'post' : 'get'
  const isKnown = (name: string) => isGiven(kind, by, name) || endpoint.names.includes(name)
  const isAged = (name: string) => name === 'max_age_days' || isKnown(name)
  const parameters = (key: 'query' | 'json' | 'max_age_days' | 'bypass_cache', known = isKnown) =>
    compileJson(source, [...place, key], file[key] ?? {}, known) as (values: Values) => Record<string, unknown>
  const [query, json, bypass] = [parameters('query'), parameters('json'), parameters('bypass_cache')]
  const aged = parameters('max_age_days', isAged)
  const pathOf = compileTemplate(source, [...place, method], file[method] ?? '', isKnown)
  return {
    file,
    fits: (identifier: Identifier) => by.some((one) => isAskedBy(one, identifier)),
    build(settings: ProviderSettings, ask: ProviderAsk): WireRequest {
      const values = { ...endpoint.valuesOf(settings), ...valuesOf(ask) }
      const path = pathOf(values, encodeSegment)
      if (path === undefined) throw new ProviderFault('invalid', 'a value for the address of the request is missing')
      const days = Math.floor(ask.maxAgeDays)
      const extra = ask.fresh ? bypass(values) : days < 1 ? {} : aged({ ...values, max_age_days: String(days) })
      const { headers, query: ofKey } = endpoint.of(settings)
      const url = endpointUrl(settings.url, '', path)
      const asked = { ...query(values), ...(file.json ? {} : extra), ...ofKey }
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, String(value))
      if (!file.json) return { method: method === 'get' ? 'GET' : 'POST', url, headers }
      const body = JSON.stringify({ ...json(values), ...extra })
      return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body }
    },
  }
}

function checkRequest(source: SourceFile, kind: Kind, place: Place, file: RequestFile, by: string[]): void {
  const { get, post, json } = file
  if ((get === undefined) === (post === undefined)) throw source.fault(place, 'a request has either get or post')
  if (json && get !== undefined) throw source.fault([...place, 'json'], 'a GET has no body', { atKey: true })
  const path = get ?? post ?? ''
  if (!/^\/(?!\/)[^?#\\]*$/.test(path) || /\/\.{1,2}(?:\/|$)/.test(path))
    throw source.fault([...place, get === undefined ? 'post' : 'get'], 'a path begins with / and has no query')
  const never =
    kind === 'people' ? ['domain', 'name'] : ['opaque', 'email', 'phone', 'name+company', 'name+company_domain']
  const wrong = by.find((one) => never.includes(one))
  if (wrong !== undefined) throw source.fault([...place, 'by'], `${kind} cannot be asked for by ${wrong}`)
  const match = by.find(isMatchOnly)
  if (match !== undefined && by.length > 1) throw source.fault([...place, 'by'], `${match} needs a request of its own`)
}

/** Encodes a path segment. A segment of dots would change the path, even if encoded, so it is refused. */
function encodeSegment(value: string): string {
  if (/^\.{1,2}$/.test(value)) throw new ProviderFault('invalid', 'an identifier cannot be a part of the address')
  return encodeURIComponent(value)
}

/** The signals of a match, or null for an identifier. A company's domain is both. */
function signalsOf(by: string): MatchSignal[] | null {
  return ['slug', 'number', 'opaque'].includes(by) ? null : (by.split('+') as MatchSignal[])
}

function isMatchOnly(by: string): boolean {
  return by !== 'domain' && signalsOf(by) !== null
}

/** Collects the identifier types and match signals that the requests accept. */
export function declaredBy(kind: Kind, requests: readonly { file: RequestFile }[]) {
  const by = requests.flatMap(({ file }) => file.by)
  const matches = by.map((one) => signalsOf(one) ?? []).filter((one) => one.length > 0)
  const types = by.flatMap((one): Identifier['type'][] => {
    if (one === 'number') return kind === 'people' ? ['urn'] : ['id']
    return one === 'slug' || one === 'opaque' || one === 'domain' ? [one] : []
  })
  return { types: [...new Set(types)], matches }
}

/** Whether a request of this kind has a value of this name. A person's number has no page URL. */
function isGiven(kind: Kind, by: readonly string[], name: string): boolean {
  if (by.some(isMatchOnly)) return matchNames.includes(name)
  if (name === 'id') return true
  if (name === 'domain') return by.every((one) => one === 'domain')
  return name === 'url' && !by.includes('domain') && !(kind === 'people' && by.includes('number'))
}

function isAskedBy(by: string, { type, value, match }: Identifier): boolean {
  if (match) return signalsOf(by)?.every((one) => match[one] !== undefined) ?? false
  if (by === 'number') return (type === 'id' && !isDerivedCompanyId(value)) || memberNumber(value) !== null
  return by === type
}

function memberNumber(value: string): string | null {
  return value.startsWith('urn:li:member:') ? value.slice('urn:li:member:'.length) : null
}

function valuesOf({ identifier: { kind, type, value, match } }: ProviderAsk): Values {
  if (match) {
    const { minLikelihood: _least, ...texts } = match
    return { ...texts, id: match.domain }
  }
  const id = memberNumber(value) ?? value
  if (type === 'domain') return { id, domain: id }
  return { id, url: kind === 'people' ? profileUrl(id) : companyPageUrl(id) }
}
