import type { Static, TSchema } from 'typebox'
import { keyOperations } from './keys.ts'
import { sessionOperations } from './sessions.ts'

export * from './operation.ts'
export { documentOf, type Subjects } from './document.ts'

/** The operations of the admin API by the tag under which the reference shows them. */
export const adminSubjects = {
  session: { description: 'Signing in to the console.', operations: sessionOperations },
  keys: { description: 'API keys of projects.', operations: keyOperations },
}

type AllSubjects = typeof adminSubjects
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** All operations of the admin API by their ids. */
export type AdminOperations = Joined<AllSubjects[keyof AllSubjects]['operations']>
export const adminOperations = Object.assign(
  {},
  ...Object.values(adminSubjects).map(({ operations }) => operations),
) as AdminOperations

export type AdminOperationId = keyof AdminOperations

/** What a row says of one part of a request or an answer; undefined where it says nothing. */
type Part<Id extends AdminOperationId, Name extends string> =
  AdminOperations[Id] extends Record<Name, infer Schema extends TSchema> ? Static<Schema> : undefined

export type AdminParams<Id extends AdminOperationId> = Part<Id, 'params'>
export type AdminQuery<Id extends AdminOperationId> = Part<Id, 'query'>
export type AdminBody<Id extends AdminOperationId> = Part<Id, 'body'>
/** The JSON that an operation answers with. */
export type AdminAnswer<Id extends AdminOperationId> = Part<Id, 'response'>
