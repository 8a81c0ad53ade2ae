import Type, { type Static } from 'typebox'
import { EventChange } from '../events.ts'
import { kinds } from './kinds.ts'
import { CompanyQuery, ProfileQuery } from '../queries.ts'
import { closed, nullable } from '../shapes.ts'

const Time = Type.String({ format: 'date-time' })
const page = {
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'The `next` of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 20, description: 'The maximum number of versions to return; 20 if left out.' }),
  ),
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
        'The changes since the previous version from the same provider. Each change is listed once, as in events. Changes of optional parts are left out. The list is empty for the oldest version.',
    }),
  },
  'A version of the record that your environment received.',
)
export type HistoryVersion = Static<typeof HistoryVersion>

/** The response of the two history operations. */
export const RecordHistory = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({ description: 'The `member_urn` or `company_id` of the record.' }),
    versions: Type.Array(HistoryVersion, { description: 'The versions, newest first.' }),
    next: nullable(Type.Integer({ description: 'Send it as `before` to get older versions; null on the last page.' })),
  },
  'The versions of a record that your environment received, and the changes between them.',
)
export type RecordHistory = Static<typeof RecordHistory>
