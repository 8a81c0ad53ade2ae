import Type, { type Static } from 'typebox'
import { kinds } from './kinds.ts'
import { CompanyQuery, ProfileQuery } from '../queries.ts'
import { closed } from '../shapes.ts'

export const ProfileProvenanceQuery = Type.Object({ profile_id: ProfileQuery.properties.profile_id })
export const CompanyProvenanceQuery = Type.Object({ company_id: CompanyQuery.properties.company_id })

/** The origin of a unit. */
export const FilledUnit = closed(
  {
    unit: Type.String({ description: 'The path of a field or section, such as `contact_info.email_address`.' }),
    provider: Type.String(),
    fetched_at: Type.String({ format: 'date-time', description: 'The time at which this unit was fetched.' }),
  },
  'A unit (field or section) of a record, and the fetch that it comes from.',
)
export type FilledUnit = Static<typeof FilledUnit>

const ProvenanceUnit = closed({
  ...FilledUnit.properties,
  filled: Type.Boolean({ description: 'True if the unit comes from another fetch than the rest of the record.' }),
})

/** The response of the two provenance operations. */
export const RecordProvenance = closed(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String({ description: 'The `member_urn` or `company_id` of the record.' }),
    units: Type.Array(ProvenanceUnit, {
      description: 'Every unit of the record that has a value and that the key may see.',
    }),
  },
  'Which provider supplied which unit of a record, and when.',
)
export type RecordProvenance = Static<typeof RecordProvenance>
