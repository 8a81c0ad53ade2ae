import type { TSchema } from 'typebox'

/** The roles: read; manage keys and records; manage credits; everything. */
export const roles = ['viewer', 'operator', 'billing', 'owner'] as const
export type Role = (typeof roles)[number]

/** The roles that may use an operation. `billing` and `operator` do not include each other. */
export const rolesThatMay: Record<Role, readonly Role[]> = {
  viewer: ['viewer', 'operator', 'billing', 'owner'],
  operator: ['operator', 'owner'],
  billing: ['billing', 'owner'],
  owner: ['owner'],
}

/** Access for a token of one project: its own project, its own part of the response, or none. */
export type Scope = 'own project' | 'own part' | 'whole service'

/** One operation of the admin API. */
export interface AdminOperation {
  /** Below `/admin/v1`. */
  route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
  summary: string
  /** Details beyond the summary. */
  description?: string
  /** The required role, see `rolesThatMay`; null if no token is needed. */
  role: Role | null
  scope: Scope
  /** It may cost money at a provider although it only reads, so a browser session needs its CSRF token, as for a change. */
  costs?: true
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** The JSON response. */
  response?: TSchema
  /** Other responses, by media type. */
  produces?: Record<string, TSchema>
  status?: 200 | 201 | 202
  /** In bytes, for imports and lists. */
  bodyLimit?: number
  /** The media types of a body that is read as a stream of any length. */
  uploads?: readonly string[]
}

/** The operations of one subject by their ids. */
export type AdminOperationRows = Record<string, AdminOperation>
