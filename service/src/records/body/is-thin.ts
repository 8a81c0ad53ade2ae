import type { Company, Person } from '@vitae/contract'

/** Fields that only identify a company. */
const companyIdentity = new Set([
  'company_id',
  'public_identifier',
  'company_name',
  'platform_url',
  'auto_generated',
  'claimable',
  'is_paid',
  'is_showcase',
])

/** True for a record that is little more than an identity. It is served and marked as thin; its empty experience never counts as a job change. */
export function isThin(record: Person | Company): boolean {
  if ('member_urn' in record) return !record.headline && record.experience.length === 0 && record.education.length === 0
  return Object.entries(record).every(([field, value]) => companyIdentity.has(field) || isEmpty(value))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
