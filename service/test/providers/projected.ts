import type { Company, Person } from '@vitae/contract'
import type { Provider } from '@vitae/provider'

/** The person that a provider maps from a payload. */
export function personAt(provider: Provider, payload: Uint8Array): Person {
  const { record } = provider.project('people', payload)
  if (!('member_urn' in record)) throw new Error('not a person')
  return record
}

/** The company that a provider maps from a payload. */
export function companyAt(provider: Provider, payload: Uint8Array): Company {
  const { record } = provider.project('companies', payload)
  if ('member_urn' in record) throw new Error('not a company')
  return record
}
