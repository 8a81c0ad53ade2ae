import Type, { type Static } from 'typebox'
import { kinds } from './records/kinds.ts'
import { WatchMatch } from './match.ts'
import { closed, nullable, Text } from './shapes.ts'

const Moment = Type.String({ format: 'date-time' })

const kind = Type.Enum([...kinds])
const id = Type.String({ description: 'The record to watch: any identifier that the lookup of this kind accepts.' })
const settings = {
  every_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 365,
      description: 'Days between two refreshes of the record; 7 if left out.',
    }),
  ),
  note: Type.Optional(
    nullable(Type.String({ maxLength: 500, description: 'Your own note. The service does not read it.' })),
  ),
}

/** A watch in an operator's list. */
export const WatchById = closed({ kind, id, ...settings })
export type WatchById = Static<typeof WatchById>

/** A watch that a caller creates, by an id or a match. */
export const WatchRequest = closed({ kind, id: Type.Optional(id), match: Type.Optional(WatchMatch), ...settings })
export type WatchRequest = Static<typeof WatchRequest>

export const Watch = closed({
  id: Type.String(),
  kind: Type.Enum([...kinds]),
  identifier: Type.String({ description: 'The watched record, in the normalized form of the `id` you sent.' }),
  every_days: Type.Integer(),
  note: Text,
  created_at: Moment,
  next_due_at: nullable(Moment),
  last_checked_at: nullable(Moment),
  last_seen_at: Type.Union([Moment, Type.Null()], {
    description: 'The time at which the data of the last refresh was fetched.',
  }),
  last_result: Type.Union([Type.String(), Type.Null()], {
    description: 'The source of the last refresh (`live`, `store`), or the code of its failure, such as `not_found`.',
  }),
  paused: Type.Union([Type.String(), Type.Null()], {
    description:
      'The reason why the watch is paused, such as `credit_ceiling_reached`; null while the watch is active.',
  }),
})
export type Watch = Static<typeof Watch>

export const WatchList = closed({
  watches: Type.Array(Watch),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` to get the next page; null on the last page.',
  }),
})
export type WatchList = Static<typeof WatchList>

export const WatchListQuery = Type.Object({
  after: Type.Optional(Type.String({ description: 'The `next` of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'The number of watches per page; 100 if left out.' }),
  ),
})

export const WatchPath = Type.Object({ id: Type.String({ description: 'The id of the watch.' }) })

export const WatchRemoved = closed({ id: Type.String(), deleted: Type.Literal(true) })
