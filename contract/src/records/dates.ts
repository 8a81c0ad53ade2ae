import Type, { type Static } from 'typebox'
import { closed, nullable } from '../shapes.ts'

const Year = Type.Integer({ minimum: 1, maximum: 9999 })
const Month = nullable(Type.Integer({ minimum: 1, maximum: 12 }))
const Day = nullable(Type.Integer({ minimum: 1, maximum: 31 }))

/** A date with the precision of its source, as in company records. */
export const PartialDate = closed({ year: Year, month: Month, day: Day }, 'A date, as precise as its source.')

/** A date as in person records, which adds `iso` with the same precision. */
export const PersonDate = closed(
  {
    year: Year,
    month: Month,
    day: Day,
    iso: Type.String({
      pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$',
      description: 'Partial ISO 8601: `2019`, `2019-03` or `2019-03-07`.',
    }),
  },
  'A date, as precise as its source, with its partial ISO 8601 form.',
)

export const DateRange = closed(
  { start: nullable(PersonDate), end: nullable(PersonDate) },
  'A period. If `end` is null, the period has not ended.',
)

export type PartialDate = Static<typeof PartialDate>
export type PersonDate = Static<typeof PersonDate>
export type DateRange = Static<typeof DateRange>
