import type { Generated } from 'kysely'

export interface AuditRow {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string | null
  reason: string | null
  before: string | null
  after: string | null
  previous_hash: string
  hash: string
}

export interface AdminTokenRow {
  id: string
  hash: string
  label: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface SessionRow {
  /** The hash of the secret in the cookie, which is not stored. */
  hash: string
  actor: string
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  /** A hash that grants no access. The first version stored the CSRF token itself here and still expects it. */
  csrf: string
  /** The token or the single sign-on settings: the session ends with them. */
  token_id: string | null
  method: 'token' | 'single_sign_on'
  /** Null in sessions of the first version, like the next two. */
  address: string | null
  user_agent: string | null
  seen_at: number | null
  created_at: number
  expires_at: number
}
