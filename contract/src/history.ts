import Type, { type Static } from 'typebox'
import { EventChange } from './events.ts'
import { kinds } from './kinds.ts'
import { CompanyQuery, ProfileQuery } from './queries.ts'
import { closed, nullable } from './shapes.ts'

const Time = Type.String({ format: 'date-time' })
const page = {
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'The `next` of the page before.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'Versions at most; 20 if left out.' })),
}

export const ProfileHistoryQuery = Type.Object({ profile_id: ProfileQuery.properties.profile_id, ...page })
export const CompanyHistoryQuery = Type.Object({ company_id: CompanyQuery.properties.company_id, ...page })

export const HistoryVersion = closed(
  {
    version: Type.Integer({ minimum: 1 }),
    provider: Type.String(),
    fetched_at: Time,
    source_updated_at: nullable(Time),
    thin: Type.Boolean(),
    changes: Type.Array(EventChange, {
      description:
        'The changes since the previous version of the same provider. As with events, each change is reported once. Changes of optional parts are left out. Empty for the oldest version.',
    }),
  },
  'A version of the record that the environment was answered with.',
)
export type HistoryVersion = Static<typeof HistoryVersion>

/** The response of the two history operations. */
export const RecordHistory = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({ description: 'The `member_urn` or `company_id`.' }),
    versions: Type.Array(HistoryVersion, { description: 'Newest first.' }),
    next: nullable(Type.Integer({ description: 'Give it as `before` for older versions; null = no more.' })),
  },
  'How a record changed, in the versions that the environment paid for.',
)
export type RecordHistory = Static<typeof RecordHistory>
