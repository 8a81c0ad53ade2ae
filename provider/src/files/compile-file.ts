import type { Kind } from '@vitae/contract'
import { companyIdentity, personIdentity } from '../mapping/identity.ts'
import { memberNumberOf } from '../mapping/opaque-id.ts'
import { foldSlug, opaqueIdFromUrl, slugFromUrl } from '../mapping/platform-url.ts'
import { text } from '../mapping/text.ts'
import { isOpaqueId } from '../identifier.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { FileFacts, ProviderModule } from '../provider-module.ts'
import type { Projection, Provider, ProviderAsk, ProviderSettings, Send, Supplies, Verdict } from '../provider.ts'
import { instant } from '../shared/instant.ts'
import { matchFacts } from '../shared/match-facts.ts'
import { parsePayload } from '../wire/check-answer.ts'
import { buildCompany, buildPerson, type Fields } from '../shared/build-record.ts'
import { checkShape } from './check-shape.ts'
import { MappingCompiler } from './compile-mapping.ts'
import { type CompiledRequest, compileRequest, declaredBy } from './compile-request.ts'
import { compileVerdict, readerOf } from './compile-verdict.ts'
import { clearPaths } from '../wire/cut-paths.ts'
import type { Observe, Path, Scope } from './expression.ts'
import { factsOf } from './file-facts.ts'
import { isKnown } from '../shared/build-record.ts'
import { readYaml, type SourceFile } from './read-yaml.ts'
import type { KindFile, ProviderFile } from './schema.ts'
import { suppliedPaths } from './supplied-paths.ts'
import { compileEndpoint, compileVariables, type Endpoint, type Variables } from './templates.ts'

/** A provider that was written as a file. */
export interface FileModule extends ProviderModule {
  facts: FileFacts
  /** The paths into payloads that its mappings read. */
  paths: readonly Path[]
}

/**
 * Compiles `NAME.provider.yaml`. Throws `FileFault`: one line with file, line and column. `observe` is called with every path that
 * a payload turns out to have.
 */
export function compileProviderFile(path: string, text: string, observe?: Observe): FileModule {
  const source = readYaml(path, text)
  const file = checkShape(source)
  const base = path.split(/[/\\]/).at(-1)
  if (base !== `${file.name}.provider.yaml`)
    throw source.fault(['name'], `a file with this name is called ${file.name}.provider.yaml`)
  if (!file.people && !file.companies) throw source.fault([], 'the file has neither people nor companies')
  const variables = compileVariables(source, file)
  const endpoint = compileEndpoint(source, file, variables)
  const whole: Whole = { source, file, variables, endpoint, observe }
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
    variables: variables.names,
    facts: factsOf(file),
    paths: [...(parts.people?.paths ?? []), ...(parts.companies?.paths ?? [])],
    create: (settings) => providerOf(file, parts, settings),
  }
}

/** What is compiled of a kind. */
interface Part {
  requests: CompiledRequest[]
  verdict: (answer: Verdict['answer']) => Verdict
  supplies: Set<string>
  paths: Path[]
  project(payload: unknown): Projection
}

/** What the parts of a file need of the whole. */
interface Whole {
  source: SourceFile
  file: ProviderFile
  variables: Variables
  endpoint: Endpoint
  observe: Observe | undefined
}

function compileKind({ source, file, variables, endpoint, observe }: Whole, kind: Kind, own: KindFile): Part {
  const requests = own.requests.map((request, at) =>
    compileRequest({ source, kind, place: [kind, 'requests', at], variables, endpoint }, request),
  )
  const compiler = new MappingCompiler(source, observe)
  const names = kind === 'people' ? ['first_name', 'last_name'] : ['company_name']
  const root = compiler.value([kind, 'root'], own.root)
  const reading = {
    record: compiler.record(kind, [kind, 'record'], own.record),
    unsaid: compiler.unsaid(kind),
    identity: compileIdentity(source, compiler, kind, own),
    updatedAt: compiler.value([kind, 'updated_at'], own.updated_at),
  }
  if (!names.some((name) => compiler.leaves.has(name)))
    throw source.fault([kind, 'record'], `the record has no ${names.join(' or ')}`, { atKey: true })
  return {
    requests,
    verdict: compileVerdict(source, file, kind),
    supplies: suppliedPaths(kind, own, compiler.leaves),
    paths: compiler.paths,
    project(payload) {
      const record = root ? root({ item: payload, record: payload, payload }) : payload
      return projectionOf(file.name, kind, { item: record, record, payload }, reading)
    },
  }
}

type Identify = (scope: Scope) => Record<(typeof identityParts)[number], unknown>
const identityParts = ['number', 'opaque', 'slug', 'vendor'] as const

function compileIdentity(source: SourceFile, compiler: MappingCompiler, kind: Kind, { identity }: KindFile): Identify {
  const reads = identityParts.map((name) => [name, compiler.value([kind, 'identity', name], identity[name])] as const)
  if (reads.every(([, read]) => read === null))
    throw source.fault([kind, 'identity'], 'the identity says nothing: number, opaque, slug or vendor', { atKey: true })
  return (scope) => Object.fromEntries(reads.map(([name, read]) => [name, read?.(scope)])) as ReturnType<Identify>
}

function opaqueIn(value: unknown): string | null {
  const known = text(value)
  return known !== null && isOpaqueId(known) ? known : opaqueIdFromUrl(value)
}

/** A slug may come as it is, or in the address of its page. */
function slugIn(value: unknown, pages: readonly ('in' | 'company' | 'school' | 'showcase')[]): string | null {
  const known = text(value)
  if (known === null || known.length > 300 || isOpaqueId(known)) return null
  return /[/\s]/.test(known) ? slugFromUrl(known, [...pages]) : foldSlug(known)
}

interface Reading {
  record(scope: Scope): Fields
  unsaid(scope: Scope): string[]
  identity: Identify
  updatedAt: ((scope: Scope) => unknown) | null
}

/** A payload that gives neither a name nor an id has another shape than the file expects: a fault, and no empty record. */
function projectionOf(name: string, kind: Kind, scope: Scope, reading: Reading): Projection {
  const read = reading.record(scope)
  const said = reading.identity(scope)
  const opaqueId = opaqueIn(said.opaque)
  const number = text(said.number) ?? memberNumberOf(opaqueId)
  const slug = slugIn(said.slug, kind === 'people' ? ['in'] : ['company', 'school', 'showcase'])
  const vendor = { provider: name, id: text(said.vendor) }
  const names = kind === 'people' ? [read['first_name'], read['last_name']] : [read['company_name']]
  const lack = !isKnown(names) ? 'a name' : !isKnown([number, opaqueId, slug, vendor.id]) ? 'an identity' : null
  if (lack !== null)
    throw new ProviderFault('invalid', `this ${name} payload gives a record without ${lack}`, {
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
  const declared = {
    people: declaredBy('people', parts.people?.requests ?? []),
    companies: declaredBy('companies', parts.companies?.requests ?? []),
  }
  const supplies: Supplies = {
    people: parts.people?.supplies ?? new Set(),
    companies: parts.companies?.supplies ?? new Set(),
  }
  return {
    name,
    supplies,
    projectionVersion: file.version,
    asks: { people: declared.people.types, companies: declared.companies.types },
    asksByDomain: declared.companies.types.includes('domain'),
    refusesOpaqueIds: !declared.people.types.includes('opaque'),
    matchesBy: { people: declared.people.matches, companies: declared.companies.matches },
    ...(file.never_store ? { neverStore: file.never_store } : {}),
    ask: (ask, send) => askBy(name, parts[ask.identifier.kind], settings, ask, send),
    project(kind, payload) {
      const part = parts[kind]
      if (!part) throw new ProviderFault('invalid', `${name} has no ${kind}`)
      const body = parsePayload(name, payload)
      // A record must not hold what the archive must not hold.
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
  // What the request did not ask by agreed with nothing.
  const agreed = Object.fromEntries(Object.entries(match).filter(([signal]) => by.includes(signal)))
  return { ...verdict, match: matchFacts(agreed) }
}
