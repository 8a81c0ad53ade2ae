import type { Company, Person } from '@vitae/contract'
import type { Identifier } from '../../foundation/identifier.ts'
import type { Identity } from '../provider.ts'

/** Every name that a record of the directory can be asked by, as `type:value`. */
export function namesOf(record: Person | Company, identity: Identity): string[] {
  const names = identity.aliases.map(({ type, value }) => `${type}:${value}`)
  const own =
    'company_id' in record ? `id:${record.company_id}` : `member:${/:(\d+)$/.exec(record.member_urn)?.[1] ?? ''}`
  return names.includes(own) || own.endsWith(':') ? names : [...names, own]
}

/** The names an identifier may stand for, the likeliest first: digits may be a person's slug or a member number. */
export function namesWanted({ kind, type, value }: Identifier): string[] {
  const isNumber = kind === 'people' && type === 'slug' && /^\d+$/.test(value)
  return isNumber ? [`slug:${value}`, `member:${value}`] : [`${type}:${value}`]
}
