import type { Kind } from '@vitae/contract'
import Type, { type Static, type TSchema } from 'typebox'
import { targets, type Target } from './targets.ts'

const closed = <const Properties extends Record<string, TSchema>>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) })
const oneOf = <const Words extends readonly string[]>(words: Words) => Type.Unsafe<Words[number]>(Type.Enum([...words]))
const listOf = <const Schema extends TSchema>(schema: Schema, maxItems: number) =>
  Type.Array(schema, { minItems: 1, maxItems })
const oneOrMore = <const Schema extends TSchema>(schema: Schema, description = '') =>
  Type.Union([schema, listOf(schema, 20)], description ? { description } : {})
const form = (pattern: string) => Type.String({ pattern })
const optional = Type.Optional

const Line = Type.String({ minLength: 1, maxLength: 400 })
const Path = Type.String({ minLength: 1, maxLength: 400, description: 'A path: `a.b`, `list.0.c`, `list.*.c`.' })
const Expression = oneOrMore(
  Type.String({ minLength: 1 }),
  "Paths, then functions: `path`, `path, path | function('argument')`. A list is read until one says something.",
)
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
const tests = {
  equals: optional(Scalar),
  in: optional(listOf(Scalar, 50)),
  not_in: optional(listOf(Scalar, 50)),
  absent: optional(Type.Boolean({ description: 'Not there, or null.' })),
  empty: optional(Type.Boolean({ description: 'Not there, null, or an empty text, list or object.' })),
  is_array: optional(Type.Boolean()),
}
const Test = closed({ path: Path, ...tests }, 'A test of one value of the answer.')
const Any = closed({ any: listOf(Test, 20) }, 'One of these tests is enough.')
const Where = oneOrMore(Type.Union([Test, Any]), 'All of these tests hold for an item.')

export const outcomes = ['found', 'not_found', 'out_of_credits', 'bad_key', 'rate_limited', 'retry', 'invalid'] as const
const Status = Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), oneOf(['2xx', '3xx', '4xx', '5xx'])])
const Rule = closed(
  { status: optional(oneOrMore(Status)), path: optional(Path), ...tests, is: oneOf(outcomes) },
  'The first rule that fits decides. Without one the answer is invalid.',
)
const Credits = Type.Number({ minimum: 0 })
const Billed = closed(
  {
    ...{ path: optional(Path), header: optional(Line), found: optional(Credits), not_found: optional(Credits) },
    free_if: optional(Test),
  },
  "What a call costs in the vendor's credits: where the answer says it, or a constant per outcome.",
)

const ids = ['slug', 'number', 'opaque', 'domain'] as const
const By = oneOf([...ids, 'email', 'phone', 'name', 'name+company', 'name+company_domain'])
const Parameters = optional(Type.Record(Type.String({ maxLength: 100 }), Type.Unknown()))
const Request = closed({
  by: oneOrMore(By, 'What this request asks by.'),
  ...{ get: optional(Line), post: optional(Line), query: Parameters, json: Parameters },
  ...{ max_age_days: Parameters, bypass_cache: Parameters },
})

/** The schemas of a record's or part's fields, from the targets. */
function fieldsOf(fields: Readonly<Record<string, Target>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, target]) => [name, optional(schemaOf(target))]))
}

function schemaOf(target: Target): TSchema {
  if (!('type' in target)) return Expression
  const inner = fieldsOf(target.fields)
  if (target.type === 'object') return closed({ from: optional(Expression), latest_by: optional(Path), ...inner })
  const block = closed({ each: Expression, where: optional(Where), ...inner })
  return target.named ? Type.Union([Expression, block]) : block
}

const shared = { verdicts: optional(listOf(Rule, 40)), billed: optional(Billed) }
const identity = {
  ...{ number: optional(Expression), opaque: optional(Expression), slug: optional(Expression) },
  vendor: optional(Expression),
}
const kindOf = (kind: Kind) =>
  closed({
    requests: listOf(Request, 12),
    ...shared,
    ...{ root: optional(Expression), identity: closed(identity), updated_at: optional(Expression) },
    record: closed(fieldsOf(targets[kind])),
  })

/** The format of `NAME.provider.yaml`. */
export const ProviderFileSchema = closed(
  {
    ...{ format: Type.Literal(1), name: form('^[a-z][a-z0-9]{1,29}$'), label: Line, site: Line },
    version: Type.Integer({ minimum: 1, description: 'Raise it whenever the mapping changes.' }),
    certainty: oneOf(['seen_live', 'documented', 'inferred']),
    notes: listOf(closed({ says: Line, source: Line, date: form('^\\d{4}-\\d{2}-\\d{2}$') }), 40),
    url: Line,
    variables: optional(
      Type.Record(form('^[a-z][a-z0-9_]{0,29}$'), closed({ default: optional(Type.String()), says: Line })),
    ),
    auth: closed({ header: optional(Line), bearer: optional(Type.Literal(true)), query: optional(Line) }),
    headers: optional(Type.Record(form('^[A-Za-z0-9-]{1,60}$'), Type.String({ maxLength: 200 }))),
    timeout_ms: optional(Type.Integer({ minimum: 1_000, maximum: 300_000 })),
    rate_limit: optional(closed({ header: Line }, 'Where a refusal says when to come back, besides Retry-After.')),
    ...shared,
    never_store: optional(listOf(form('^[A-Za-z0-9_@*-]{1,60}(\\.[A-Za-z0-9_@*-]{1,60}){0,11}$'), 40)),
    ...{ people: optional(kindOf('people')), companies: optional(kindOf('companies')) },
  },
  'A provider of Vitae as a file.',
)

export type ProviderFile = Static<typeof ProviderFileSchema>
export type KindFile = NonNullable<ProviderFile['people']>
export type RequestFile = Static<typeof Request>
export type RuleFile = Static<typeof Rule>
export type TestFile = Static<typeof Test>
export type AnyFile = Static<typeof Any>
export type WhereFile = Static<typeof Where>
export type BilledFile = Static<typeof Billed>
export type ExpressionFile = Static<typeof Expression>
