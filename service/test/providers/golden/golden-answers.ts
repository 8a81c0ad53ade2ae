import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Kind } from '@vitae/contract'
import { gated, type Projection, type Provider, type ProviderModule } from '@vitae/provider'
import { findRegistration } from '../../../src/providers/registry.ts'

type Fields = Record<string, unknown>

/** The mapping of a payload: the record without nulls and with dates as texts, and the rest of the projection. */
export interface Mapped {
  record?: Fields
  identity?: unknown
  sourceUpdatedAt?: string
  unsaid?: readonly string[]
}

/** A stored answer: a payload, or another answer with some fields changed. Then only the changes of its mapping are stored. */
export type Stored = Mapped & ({ payload: unknown } | { like: string; with: Fields })

export type StoredFile = Partial<Record<Kind, Record<string, Stored>>>

/** Our own answer in a vendor's format, and its mapping. */
export interface GoldenAnswer {
  provider: string
  kind: Kind
  name: string
  payload: unknown
  stored: Stored
  /** The answer that it changes; null for one with a payload of its own. */
  base: { payload: unknown } | null
}

const folder = join(import.meta.dirname, 'answers')

/** The path of the golden answers of a provider. */
export const goldenPath = (provider: string) => join(folder, `${provider}.json`)

/** The names of the providers that have golden answers. */
export function goldenNames(): string[] {
  return readdirSync(folder)
    .map((file) => file.replace('.json', ''))
    .sort()
}

/** The golden answers of a provider. */
export function goldenAnswers(provider: string): GoldenAnswer[] {
  const file = JSON.parse(readFileSync(goldenPath(provider), 'utf8')) as StoredFile
  return (['people', 'companies'] as const).flatMap((kind) => {
    const answers = file[kind] ?? {}
    return Object.entries(answers).map(([name, stored]) => {
      if ('payload' in stored) return { provider, kind, name, payload: stored.payload, stored, base: null }
      const base = answers[stored.like]
      if (!base || !('payload' in base))
        throw new Error(`${provider}: "${name}" is like "${stored.like}", which has no payload`)
      return { provider, kind, name, payload: { ...(base.payload as object), ...stored.with }, stored, base }
    })
  })
}

/** The payload of one golden answer, for tests of requests and errors. */
export function goldenPayload(provider: string, kind: Kind, name: string): Fields {
  const found = goldenAnswers(provider).find((one) => one.kind === kind && one.name === name)
  if (!found) throw new Error(`${provider} has no golden answer "${name}"`)
  return found.payload as Fields
}

/** A provider by name: the code or the file that Vitae ships. */
export function moduleOf(name: string): ProviderModule {
  const registration = findRegistration(name)
  if (!registration) throw new Error(`no provider is named ${name}`)
  return { name, ...registration }
}

/** A provider that Vitae ships, behind the gate. */
export function providerOf(name: string): Provider {
  const { create, defaultUrl } = moduleOf(name)
  return gated(create({ url: defaultUrl, key: 'secret-key' }))
}

export const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

/** The mapping of an answer with the present code; for an answer like another one, only the differences. */
export function mappedNow(provider: Provider, { kind, payload, base }: Omit<GoldenAnswer, 'stored'>): Mapped {
  const own = mapped(provider.project(kind, bytes(payload)))
  return base ? changes(mapped(provider.project(kind, bytes(base.payload))), own) : own
}

function mapped({ record, identity, sourceUpdatedAt, unsaid }: Projection): Mapped {
  return {
    record: compact(record) as Fields,
    identity,
    ...(sourceUpdatedAt === null ? {} : { sourceUpdatedAt: new Date(sourceUpdatedAt).toISOString() }),
    ...(unsaid && unsaid.length > 0 ? { unsaid } : {}),
  }
}

/** The members of a mapping that differ from another one. A field of the record that is gone is null. */
function changes(base: Mapped, own: Mapped): Mapped {
  const [before, after] = [base.record ?? {}, own.record ?? {}]
  const names = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]))
  const record = Object.fromEntries(names.map((name) => [name, after[name] ?? null]))
  const rest = (['identity', 'sourceUpdatedAt', 'unsaid'] as const).filter(
    (name) => !isDeepStrictEqual(base[name], own[name]),
  )
  return { record, ...Object.fromEntries(rest.map((name) => [name, own[name] ?? null])) }
}

/** A value without its members that are null, and with dates as texts. Empty lists stay: they mean "none". */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact)
  if (typeof value !== 'object' || value === null) return value
  if ('year' in value && 'month' in value && 'day' in value) return dateText(value as DateParts)
  const members = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(members.map(([name, inner]) => [name, compact(inner)]))
}

interface DateParts {
  year: number
  month: number | null
  day: number | null
}

function dateText({ year, month, day }: DateParts): string {
  return [year, month, day].flatMap((part) => (part === null ? [] : String(part).padStart(2, '0'))).join('-')
}
