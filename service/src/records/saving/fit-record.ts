import type { Company, Kind, Person } from '@vitae/contract'
import type { Tx } from '../../database/engine/dialect.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'
import { recordIn, serialised, withKey, type SerialisedRecord } from '../body/rewrite-record.ts'
import { keepCompanyIds } from '../changes/keep-company-ids.ts'
import { keysOfDerivedIds } from '../rows/company-pages.ts'

interface Place {
  kind: Kind
  /** The key of the entity. */
  key: string
  /** The record that was served until now; null if absent. */
  before: Uint8Array | null
}

/**
 * The record in the form that its entity shows: under the entity's key, and with the company ids that its jobs had
 * before. Null if nothing had to change.
 */
export async function fitRecord(
  tx: Tx,
  sent: SerialisedRecord,
  { kind, key, before }: Place,
): Promise<SerialisedRecord | null> {
  const record = recordIn(sent.body)
  const kept = kind === 'people' && before ? await withKeptIds(tx, recordIn(before), record) : record
  const fitted = withKey(kind, kept, key)
  return fitted === record ? null : serialised(kind, fitted)
}

async function withKeptIds(tx: Tx, before: Person & Company, after: Person & Company): Promise<Person & Company> {
  const old = companyIds(before)
  const derived = old.filter(isDerivedCompanyId)
  const isNumbered = companyIds(after).some((id) => !isDerivedCompanyId(id) && !old.includes(id))
  const numbers = isNumbered && derived.length > 0 ? await keysOfDerivedIds(tx, derived) : new Map<string, string>()
  const kept = keepCompanyIds(before, after, numbers)
  return kept === after ? after : { ...after, ...kept }
}

function companyIds({ experience, education }: Person): string[] {
  return [...experience, ...education].flatMap(({ company_id: id }) => id ?? [])
}
