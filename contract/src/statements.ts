import Type, { type Static } from 'typebox'
import { dataSources } from './headers.ts'
import { kinds } from './kinds.ts'
import { closed, nullable, Text } from './shapes.ts'

const Credits = Type.Integer()
const Decimal = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]{1,6})?$', description: 'An exact decimal.' })

export const StatementMonth = Type.Object({
  month: Type.Optional(
    Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$', description: 'A UTC month; the present one if left out.' }),
  ),
})

/** The charges of one price line, endpoint, source and tag. */
export const StatementLine = closed({
  price_line: nullable(
    Type.String({
      description:
        'The price book and its line or part, `book 0, line 7: people`. Null if the call log no longer has the calls.',
    }),
  ),
  endpoint: nullable(Type.Enum([...kinds])),
  source: nullable(Type.Enum([...dataSources])),
  spend_tag: Text,
  calls: Type.Integer({ minimum: 0, description: 'Calls that the line applied to. A call may have several lines.' }),
  credits: Credits,
})
export type StatementLine = Static<typeof StatementLine>

const statement = {
  project: Type.String(),
  environment: nullable(Type.String({ description: 'Null: all environments of the project.' })),
  month: Type.String({
    description: 'The UTC month, `2026-10`. A call counts in the month in which it began to hold.',
  }),
  in_progress: Type.Boolean({ description: 'True until the month is closed: figures may still change.' }),
  opening_balance: Credits,
  granted: Credits,
  lapsed: Type.Integer({ description: 'Recurring credits that were not spent in time.' }),
  charged: Credits,
  corrected: Type.Integer({ description: 'Corrections and refunds; negative if credits were taken away.' }),
  closing_balance: Type.Integer({
    description: '`opening_balance + granted - lapsed - charged + corrected`, always.',
  }),
  lines: Type.Array(StatementLine, { description: 'The charges. Their credits add up to `charged`.' }),
  value: Type.Optional(
    closed(
      { currency: Type.String(), credit: Decimal, charged: Decimal },
      'What a credit is worth, and what the charges are worth, if the operator has set a value.',
    ),
  ),
  digest: nullable(
    Type.String({ description: 'SHA-256 of the closed statement, as the audit log has it; null while in progress.' }),
  ),
}

export const ProviderCost = closed(
  {
    currency: Type.String(),
    total: Decimal,
    by_provider: Type.Array(closed({ provider: Type.String(), cost: Decimal })),
  },
  'What the calls may have cost the operator at providers, by the configured prices.',
)

/** The response of `GET /v1/statement`. */
export const Statement = closed(statement, 'What an environment had, got and spent in a month.')
export type Statement = Static<typeof Statement>

/** The statement for operators, with the cost of providers. */
export const OperatorStatement = closed({ ...statement, provider_cost: ProviderCost })
export type OperatorStatement = Static<typeof OperatorStatement>
