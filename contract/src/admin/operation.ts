import type { TSchema } from 'typebox'

/** What people and tokens may do: look; work on keys and records; deal with money; everything. */
export const roles = ['viewer', 'operator', 'billing', 'owner'] as const
export type Role = (typeof roles)[number]

/** The roles that an operation is open to. `billing` and `operator` do not include each other. */
export const rolesThatMay: Record<Role, readonly Role[]> = {
  viewer: ['viewer', 'operator', 'billing', 'owner'],
  operator: ['operator', 'owner'],
  billing: ['billing', 'owner'],
  owner: ['owner'],
}

/** What a token of one project gets: calls about its own project, its own part of an answer, or nothing. */
export type Scope = 'own project' | 'own part' | 'whole service'

/** One operation of the admin API. */
export interface AdminOperation {
  /** Below `/admin/v1`. */
  route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
  summary: string
  /** What the summary leaves open. */
  description?: string
  /** The role that it is for, see `rolesThatMay`; null: it needs no token. */
  role: Role | null
  scope: Scope
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** The JSON of the answer. */
  response?: TSchema
  /** Other forms of the answer, by media type. */
  produces?: Record<string, TSchema>
  status?: 200 | 201 | 202
  /** For imports and lists. */
  bodyLimit?: number
  /** The media types of a body that is read as a stream of any length. */
  uploads?: readonly string[]
}

/** The operations of one subject by their ids. */
export type AdminOperationRows = Record<string, AdminOperation>
