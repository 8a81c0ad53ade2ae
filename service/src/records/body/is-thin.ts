import type { Company, Person } from '@vitae/contract'

/** Fields of a company page that say who it is, and nothing about it. */
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

/** True for a record that is little more than an identity: it is served and marked, but is never read as "left all jobs". */
export function isThin(record: Person | Company): boolean {
  if ('member_urn' in record) return !record.headline && record.experience.length === 0 && record.education.length === 0
  return Object.entries(record).every(([field, value]) => companyIdentity.has(field) || isEmpty(value))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
