import type { Kind } from '@vitae/contract'
import { companyIdentity, personIdentity } from '../mapping/identity.ts'
import { memberNumberOf } from '../mapping/opaque-id.ts'
import { foldSlug, opaqueIdFromUrl, slugFromUrl } from '../mapping/platform-url.ts'
import { text } from '../mapping/text.ts'
import { isOpaqueId } from '../identifier.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { FileFacts, ProviderModule } from '../provider-module.ts'
import type { Projection, Provider, ProviderAsk, ProviderSettings, Send } from '../provider.ts'
import { instant } from '../shared/instant.ts'
import { matchFacts } from '../shared/match-facts.ts'
import { parsePayload } from '../wire/check-answer.ts'
import { buildCompany, buildPerson, isKnown } from '../shared/build-record.ts'
import { checkShape } from './check-shape.ts'
import { MappingCompiler } from './compile-mapping.ts'
import { compileRequest, declaredBy } from './compile-request.ts'
import { compileVerdict, readerOf } from './compile-verdict.ts'
import { clearPaths } from '../wire/cut-paths.ts'
import type { Path, Scope } from './expression.ts'
import { factsOf } from './file-facts.ts'
import { readYaml, type SourceFile } from './read-yaml.ts'
import type { KindFile, ProviderFile } from './schema.ts'
import { suppliedPaths } from './supplied-paths.ts'
import { compileEndpoint, type Endpoint } from './templates.ts'

/** A provider compiled from a file. */
export interface FileModule extends ProviderModule {
  facts: FileFacts
  /** The payload paths that its mappings read. */
  paths: readonly Path[]
}

/** Compiles `NAME.provider.yaml`. Throws `FileFault`: one line with file, line and column. */
export function compileProviderFile(path: string, text: string): FileModule {
  const source = readYaml(path, text)
  const file = checkShape(source)
  if (path.split(/[/\\]/).at(-1) !== `${file.name}.provider.yaml`)
    throw source.fault(['name'], `a file with this name is called ${file.name}.provider.yaml`)
  if (!file.people && !file.companies) throw source.fault([], 'the file has neither people nor companies')
  const whole = { source, file, endpoint: compileEndpoint(source, file) }
  const parts = {
    people: file.people ? compileKind(whole, 'people', file.people) : null,
    companies: file.companies ? compileKind(whole, 'companies', file.companies) : null,
  }
  for (const [at, one] of (file.never_store ?? []).entries()) readerOf(source, ['never_store', at], one)
  return {
    name: file.name,
    label: file.label,
    defaultUrl: file.url,
    ...(file.timeout_ms === undefined ? {} : { timeoutMs: file.timeout_ms }),
    variables: whole.endpoint.names,
    facts: factsOf(file),
    paths: [...(parts.people?.paths ?? []), ...(parts.companies?.paths ?? [])],
    create: (settings) => providerOf(file, parts, settings),
  }
}

/** The compiled part of one kind. */
type Part = ReturnType<typeof compileKind>

/** The facts of the whole file that its parts need. */
type Whole = { source: SourceFile; file: ProviderFile; endpoint: Endpoint }

function compileKind(whole: Whole, kind: Kind, own: KindFile) {
  const { source, file } = whole
  const requests = own.requests.map((one, at) => compileRequest(whole, kind, [kind, 'requests', at], one))
  const compiler = new MappingCompiler(source)
  const names = kind === 'people' ? ['first_name', 'last_name'] : ['company_name']
  const root = compiler.value([kind, 'root'], own.root)
  const reading = compileReading(source, compiler, kind, own)
  if (!names.some((name) => compiler.leaves.has(name)))
    throw source.fault([kind, 'record'], `the record has no ${names.join(' or ')}`, { atKey: true })
  return {
    requests,
    verdict: compileVerdict(source, file, kind),
    supplies: suppliedPaths(kind, own, compiler.leaves),
    paths: compiler.paths,
    declared: declaredBy(kind, requests),
    project(payload: unknown): Projection {
      const record = root ? root({ item: payload, record: payload, payload }) : payload
      return projectionOf(file.name, kind, { item: record, record, payload }, reading)
    },
  }
}

function compileReading(source: SourceFile, compiler: MappingCompiler, kind: Kind, file: KindFile) {
  const { identity, updated_at, record } = file
  if (Object.keys(identity).length === 0)
    throw source.fault([kind, 'identity'], 'the identity needs number, opaque, slug or vendor', { atKey: true })
  const of = (name: keyof typeof identity) => compiler.value([kind, 'identity', name], identity[name])
  return {
    record: compiler.record(kind, [kind, 'record'], record),
    unsaid: compiler.unsaid(kind),
    identity: { number: of('number'), opaque: of('opaque'), slug: of('slug'), vendor: of('vendor') },
    updatedAt: compiler.value([kind, 'updated_at'], updated_at),
  }
}
type Reading = ReturnType<typeof compileReading>

function opaqueIn(value: unknown): string | null {
  const known = text(value)
  return known !== null && isOpaqueId(known) ? known : opaqueIdFromUrl(value)
}

/** Reads a slug, given plainly or in a page URL. */
function slugIn(value: unknown, pages: readonly ('in' | 'company' | 'school' | 'showcase')[]): string | null {
  const known = text(value)
  if (known === null || known.length > 300 || isOpaqueId(known)) return null
  return /[/\s]/.test(known) ? slugFromUrl(known, [...pages]) : foldSlug(known)
}

/** Maps a payload to a record. Throws a fault if the name or every id is missing: the payload then has an unexpected shape. */
function projectionOf(name: string, kind: Kind, scope: Scope, reading: Reading): Projection {
  const read = reading.record(scope)
  const said = reading.identity
  const opaqueId = opaqueIn(said.opaque?.(scope))
  const number = text(said.number?.(scope)) ?? memberNumberOf(opaqueId)
  const slug = slugIn(said.slug?.(scope), kind === 'people' ? ['in'] : ['company', 'school', 'showcase'])
  const vendor = { provider: name, id: text(said.vendor?.(scope)) }
  const names = kind === 'people' ? [read['first_name'], read['last_name']] : [read['company_name']]
  const lack = !isKnown(names) ? 'a name' : !isKnown([number, opaqueId, slug, vendor.id]) ? 'an identity' : null
  if (lack !== null)
    throw new ProviderFault('invalid', `this ${name} payload results in a record without ${lack}`, {
      reason: `a record without ${lack}: the shape of its answers may have changed`,
    })
  const updated = { sourceUpdatedAt: instant(reading.updatedAt?.(scope)), unsaid: reading.unsaid(scope) }
  if (kind === 'people') {
    const identity = personIdentity({ memberNumber: number, opaqueId, slug, vendor })
    return { record: buildPerson(read, identity, slug), identity, ...updated }
  }
  const identity = companyIdentity({ companyNumber: number, slug, vendor })
  return { record: buildCompany(read, identity, slug), identity, ...updated }
}

function providerOf(file: ProviderFile, parts: Record<Kind, Part | null>, settings: ProviderSettings): Provider {
  const { name } = file
  const { people, companies } = parts
  const asks = { people: people?.declared.types ?? [], companies: companies?.declared.types ?? [] }
  return {
    name,
    supplies: { people: people?.supplies ?? new Set(), companies: companies?.supplies ?? new Set() },
    projectionVersion: file.version,
    asks,
    asksByDomain: asks.companies.includes('domain'),
    refusesOpaqueIds: !asks.people.includes('opaque'),
    matchesBy: { people: people?.declared.matches ?? [], companies: companies?.declared.matches ?? [] },
    ...(file.never_store ? { neverStore: file.never_store } : {}),
    ask: (ask, send) => askBy(name, parts[ask.identifier.kind], settings, ask, send),
    project(kind, payload) {
      const part = parts[kind]
      if (!part) throw new ProviderFault('invalid', `${name} has no ${kind}`)
      const body = parsePayload(name, payload)
      // `never_store` applies to the record as well as the archive.
      clearPaths(body, file.never_store ?? [])
      return part.project(body)
    },
  }
}

async function askBy(name: string, part: Part | null, settings: ProviderSettings, ask: ProviderAsk, send: Send) {
  const { kind, type, match } = ask.identifier
  const request = part?.requests.find((one) => one.fits(ask.identifier))
  if (!part || !request) throw new ProviderFault('unavailable', `${name} cannot be asked for ${kind} by ${type}`)
  const verdict = part.verdict(await send(request.build(settings, ask), ask.signal))
  if (!match || verdict.outcome !== 'found') return verdict
  const by = [request.file.by].flat().flatMap((one) => one.split('+'))
  // Only signals that the request sent can have agreed.
  const agreed = Object.fromEntries(Object.entries(match).filter(([signal]) => by.includes(signal)))
  return { ...verdict, match: matchFacts(agreed) }
}

/** Finds the paths of a file that occur in none of these payloads: misspelled, or missing from the samples. */
export function unusedPaths(path: string, source: string, payloads: readonly { kind: Kind; body: Uint8Array }[]) {
  const { paths, create, defaultUrl } = compileProviderFile(path, source)
  const provider = create({ url: defaultUrl, key: '' })
  for (const { kind, body } of payloads) {
    try {
      provider.project(kind, body)
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error
    }
  }
  return [...new Set(paths.filter(({ isSeen }) => !isSeen).map((one) => one.text))]
}
