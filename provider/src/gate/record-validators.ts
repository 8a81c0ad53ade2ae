import { Company, type Kind, Person } from '@vitae/contract'
import { Compile } from 'typebox/compile'

const compile = { people: () => Compile(Person), companies: () => Compile(Company) }
const compiled: { [K in Kind]?: ReturnType<(typeof compile)[K]> } = {}

/** The compiled validator of the contract's shape. It is compiled on first use to keep the start short. */
export function recordValidator<K extends Kind>(kind: K): ReturnType<(typeof compile)[K]> {
  return (compiled[kind] ??= compile[kind]() as never)
}
