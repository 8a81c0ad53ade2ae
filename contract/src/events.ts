import Type, { type Static } from 'typebox'
import { BatchCounts } from './batches.ts'
import { kinds } from './records/kinds.ts'
import { closed, nullable, Text } from './shapes.ts'

const Moment = Type.String({ format: 'date-time' })

export const EventChange = closed(
  { kind: Type.String(), path: Type.String(), before: Type.Unknown(), after: Type.Unknown() },
  'One difference between two versions. The path names an element of a list by its identifying value, not by its position.',
)

export const EventVersion = closed(
  {
    version: Type.Integer({ minimum: 1 }),
    provider: Type.String(),
    fetched_at: Moment,
    source_updated_at: nullable(Moment),
  },
  'A reference to a version of the record.',
)

export const RecordChanged = closed({
  kind: Type.Enum([...kinds]),
  id: Type.String({ description: 'The `member_urn` or `company_id` of the record.' }),
  changes: Type.Array(EventChange),
  from: EventVersion,
  to: EventVersion,
  provider: Type.String(),
  source: Type.Enum(['live', 'imported'], { description: 'The origin of the new version: a fetch or an import.' }),
})

export const RecordMerged = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({ description: 'The `member_urn` or `company_id` that the record keeps.' }),
    merged_id: Type.String({
      description: 'The other `member_urn` or `company_id`. From now on, a lookup by it returns the same record.',
    }),
  },
  'Two records turned out to be the same person or company, and were merged.',
)

export const RecordSplit = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({
      description: 'The `member_urn` or `company_id` of the record before the split. One of the two records keeps it.',
    }),
    split_id: Type.String({ description: 'The `member_urn` or `company_id` of the other record.' }),
  },
  'An operator split a record that mixed two people or companies into two records.',
)

export const RecordGone = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({ description: 'The `member_urn` or `company_id` that your environment received.' }),
  },
  'A record was removed: erased at the request of its subject, or purged because it was too old or its provider was removed.',
)

const WatchesPaused = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'The number of watches that are paused because their key may not spend more credits.',
  }),
)

export const CreditsLow = closed({
  balance: Type.Integer(),
  threshold: Type.Integer(),
  watches_paused: WatchesPaused,
})

export const CeilingSpent = closed({
  key: Type.String({ description: 'The id of the key.' }),
  period: Type.String({ description: 'The UTC month or day of the ceiling, `2026-11` or `2026-11-14`.' }),
  spent: Type.Integer(),
  ceiling: Type.Integer(),
  percent: Type.Integer({ description: 'The percentage of the ceiling that is spent.' }),
  watches_paused: WatchesPaused,
})

export const BudgetSpent = closed({
  month: Type.String(),
  spent: Type.Integer(),
  budget: Type.Integer(),
  of: Type.Optional(
    Type.Literal('watches', {
      description:
        '`watches` if the budget of the watches is spent. Left out if the budget of the environment is spent.',
    }),
  ),
})

export const ProviderDown = closed({ provider: Type.String(), reason: Text })

export const ProviderRecovered = closed({ provider: Type.String(), down_since: Moment })

export const ProviderCostDiffers = closed(
  {
    provider: Type.String(),
    configured: Type.String({ description: 'The configured cost of an answered call, an exact decimal.' }),
    currency: Type.String(),
    requests: Type.Integer({ description: 'The number of requests that the provider call made.' }),
    reported: Type.Number({
      description: 'The cost that the provider reported for this call, in the provider’s own credits.',
    }),
  },
  'A provider reports more than the configured price: credits for a free call, or more than one credit a request.',
)

export const ProviderDrifted = closed(
  {
    provider: Type.String(),
    kind: Type.Enum([...kinds]),
    day: Type.String({ description: 'The UTC day, `2026-11-14`.' }),
    answers: Type.Integer({ description: 'The number of answers of the provider on this day.' }),
    units: Type.Array(
      closed({
        unit: Type.String({ description: 'The part of the record, such as `experience`.' }),
        usual: Type.Number({
          description: 'The share of answers with a value in this unit over the previous 14 days, 0 to 1.',
        }),
        now: Type.Number({ description: 'The share of answers with a value in this unit on this day, 0 to 1.' }),
      }),
    ),
  },
  'A provider fills these units less than half as often as usual. The format of its answers may have changed.',
)

export const BackupOverdue = closed({ last_backup_at: nullable(Moment), due_at: Moment })

const batchProgress = {
  batch: Type.String({ description: 'The id of the batch.' }),
  name: Text,
  kind: Type.Enum([...kinds]),
  total: Type.Integer(),
  counts: BatchCounts,
  credits_spent: Type.Integer(),
}

export const BatchCompleted = closed(batchProgress)

export const BatchPaused = closed({
  ...batchProgress,
  pause_reason: Type.String({ description: 'The reason of the pause: a code such as `out_of_credits`.' }),
})

export const BatchFailed = closed({
  ...batchProgress,
  error: Type.String({
    description: 'The reason why the batch failed: a code such as `revoked_api_key` or `paused_too_long`.',
  }),
})

/** The data of each event type. */
export const eventData = {
  'person.job_changed': RecordChanged,
  'person.promoted': RecordChanged,
  'person.changed': RecordChanged,
  'company.changed': RecordChanged,
  'record.merged': RecordMerged,
  'record.split': RecordSplit,
  'record.purged': RecordGone,
  'record.erased': RecordGone,
  'credits.low': CreditsLow,
  'ceiling.near': CeilingSpent,
  'ceiling.reached': CeilingSpent,
  'budget.reached': BudgetSpent,
  'provider.down': ProviderDown,
  'provider.recovered': ProviderRecovered,
  'provider.cost_differs': ProviderCostDiffers,
  'provider.drifted': ProviderDrifted,
  'backup.overdue': BackupOverdue,
  'batch.completed': BatchCompleted,
  'batch.paused': BatchPaused,
  'batch.resumed': BatchPaused,
  'batch.failed': BatchFailed,
} as const

export type EventType = keyof typeof eventData
export type EventData<T extends EventType> = Static<(typeof eventData)[T]>

export const eventTypes = Object.keys(eventData) as EventType[]

/** An event in feeds and webhooks. */
export const VitaeEvent = closed({
  id: Type.String({
    description: 'The id of the event, the same in feeds and webhooks. Use it to ignore events that you already have.',
  }),
  type: Type.Enum(eventTypes),
  at: Moment,
  project: Type.Union([Type.String(), Type.Null()], {
    description:
      'The project of the event. Null in events about the whole service, such as `provider.down`; `environment` is null too.',
  }),
  environment: Text,
  data: Type.Unknown({ description: 'The details of the event. Their shape depends on `type`.' }),
})
export type VitaeEvent = Static<typeof VitaeEvent>

export const EventFeed = closed({
  events: Type.Array(VitaeEvent),
  next: Type.String({ description: 'Pass it as `after` to get the events after these.' }),
})
export type EventFeed = Static<typeof EventFeed>

/** Changes of a record key that an environment has received. */
export const keyChanges = ['merged', 'split', 'purged', 'erased'] as const

/** The response of `GET /v1/records/changes`. */
export const RecordChanges = closed({
  changes: Type.Array(
    closed({
      kind: Type.Enum([...kinds]),
      id: Type.String({ description: 'The `member_urn` or `company_id` that your environment received.' }),
      change: Type.Enum([...keyChanges]),
      to: nullable(
        Type.String({ description: 'The key that a merged record keeps, or the key of the other record of a split.' }),
      ),
      at: Moment,
    }),
  ),
  next: Type.String({ description: 'Pass it as `after` to get the changes after these.' }),
})
export type RecordChanges = Static<typeof RecordChanges>

/** The position in a feed, as `next` has it. */
export const feedCursorPattern = '^[0-9]{1,16}$'

export const RecordChangesQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: feedCursorPattern,
      description: 'The `next` of the previous page; if left out, the list begins with the oldest change that is kept.',
    }),
  ),
  kind: Type.Optional(Type.Enum([...kinds])),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'The number of changes per page; 100 if left out.' }),
  ),
})

export const EventFeedQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: feedCursorPattern,
      description: 'The `next` of the previous page; if left out, the feed begins with the oldest event that is kept.',
    }),
  ),
  type: Type.Optional(Type.String({ description: 'Only events of these types, separated by commas.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'The number of events per page; 100 if left out.' }),
  ),
})
