import type { Company, Person } from '@vitae/contract'

/** The name that an operator would search for. */
export function recordName(record: Person | Company): string | null {
  if ('company_name' in record) return record.company_name
  const name = [record.first_name, record.last_name].filter((part) => part !== null && part !== '').join(' ')
  return name === '' ? null : name
}
