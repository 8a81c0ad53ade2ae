import Type, { type Static } from 'typebox'
import { dataSources } from './headers.ts'
import { kinds } from './records/kinds.ts'
import { closed, nullable, Text } from './shapes.ts'

const Credits = Type.Integer()
const Decimal = Type.String({
  pattern: '^-?[0-9]+(\\.[0-9]{1,6})?$',
  description: 'An amount of money, as an exact decimal.',
})

/** A month such as `2026-10`. */
export const monthPattern = '^[0-9]{4}-(0[1-9]|1[0-2])$'

/** An optional UTC month; `usual` names the month that is meant without it. */
export const monthOr = (usual: string) =>
  Type.Optional(
    Type.String({
      pattern: monthPattern,
      description: `The UTC month, such as \`2026-10\`; the ${usual} month if left out.`,
    }),
  )

export const StatementMonth = Type.Object({ month: monthOr('current') })

/** The charges of one price line, endpoint, source and tag. */
export const StatementLine = closed({
  price_line: nullable(
    Type.String({
      description:
        'The price book and its line or part, such as `book 0, line 3: people`. Null if the call log no longer has the calls.',
    }),
  ),
  endpoint: nullable(Type.Enum([...kinds])),
  source: nullable(Type.Enum([...dataSources])),
  spend_tag: Text,
  calls: Type.Integer({
    minimum: 0,
    description: 'The number of calls that this price line applied to. Several lines may apply to one call.',
  }),
  credits: Credits,
})
export type StatementLine = Static<typeof StatementLine>

const statement = {
  project: Type.String(),
  environment: nullable(
    Type.String({ description: 'The environment of the statement; null = all environments of the project.' }),
  ),
  month: Type.String({
    description: 'The UTC month, `2026-10`. A call counts in the month in which it began to hold credits.',
  }),
  in_progress: Type.Boolean({ description: 'True until the month is closed. Until then the figures may change.' }),
  opening_balance: Credits,
  granted: Credits,
  lapsed: Type.Integer({ description: 'Recurring credits that lapsed because they were not spent in their month.' }),
  charged: Credits,
  corrected: Type.Integer({ description: 'Corrections and refunds; negative if credits were taken away.' }),
  closing_balance: Type.Integer({
    description:
      'The balance at the end of the month: always `opening_balance + granted - lapsed - charged + corrected`.',
  }),
  lines: Type.Array(StatementLine, {
    description: 'The charges, one row per price line. Their credits add up to `charged`.',
  }),
  value: Type.Optional(
    closed(
      { currency: Type.String(), credit: Decimal, charged: Decimal },
      'The value of one credit, and the value of all charges. Null if the operator has not set a value for a credit.',
    ),
  ),
  digest: nullable(
    Type.String({
      description:
        'The SHA-256 digest of the closed statement, as in the audit log; null while the month is in progress.',
    }),
  ),
}

export const ProviderCost = closed(
  {
    currency: Type.String(),
    total: Decimal,
    by_provider: Type.Array(closed({ provider: Type.String(), cost: Decimal })),
  },
  'The maximum cost of the calls at providers, from the configured prices of the providers.',
)

/** The response of `GET /v1/statement`. */
export const Statement = closed(
  statement,
  'The balances, grants, charges and corrections of an environment in one month.',
)
export type Statement = Static<typeof Statement>

/** The statement for operators, with the cost of providers. */
export const OperatorStatement = closed({ ...statement, provider_cost: ProviderCost })
export type OperatorStatement = Static<typeof OperatorStatement>
