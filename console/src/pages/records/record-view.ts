import type { Company, Person } from '@vitae/contract'
import type { AdminAnswer } from '@vitae/contract/admin'

type StoredRecord = AdminAnswer<'showPersonRecord'>

/** A stored record as the admin API shows it, with its body typed by its kind. */
export type RecordView = Omit<StoredRecord, 'kind' | 'record'> &
  ({ kind: 'people'; record: Person | null } | { kind: 'companies'; record: Company | null })
