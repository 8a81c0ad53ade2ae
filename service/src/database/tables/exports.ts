import type { Generated } from 'kysely'

/** The export of a whole list, which its parts make up. */
export interface ExportRow {
  id: string
  /** The admin who began it, and alone may see it. */
  actor: string
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  list: string
  /** The parameters of the list as JSON. */
  ask: string
  /** Whether its rows name records, so that an erasure removes it. */
  names_records: 0 | 1
  state: 'preparing' | 'ready' | 'cancelled' | 'failed' | 'removed'
  detail: string | null
  row_count: Generated<number>
  byte_count: Generated<number>
  created_at: number
  expires_at: number
  runner: string | null
  lease_until: Generated<number>
  /** The fencing number: one higher with each node that prepares it, and with its end by somebody else. */
  lease: Generated<number>
}

/** Some rows of an export, as compressed CSV. */
export interface ExportPartRow {
  export_id: string
  number: number
  body: Uint8Array
}
