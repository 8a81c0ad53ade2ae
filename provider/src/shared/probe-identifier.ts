import type { Kind } from '@vitae/contract'
import type { Identifier, MatchInput } from '../identifier.ts'
import type { Provider } from '../provider.ts'

/**
 * An identifier that belongs to nobody and that the provider accepts, of the given kind or the first that it supports.
 */
export function probeIdentifier({ asks, matchesBy }: Provider, name: string, kind?: Kind): Identifier {
  const isAble = (one: Kind) => !asks || asks[one].length > 0 || (matchesBy?.[one] ?? []).length > 0
  const asked = kind ?? (isAble('people') ? 'people' : 'companies')
  const [type = 'match'] = asks
    ? asks[asked].toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    : ['slug' as const]
  const values: Partial<Record<Identifier['type'], string>> = {
    ...{ slug: name, id: '1', domain: `${name}.example`, urn: 'urn:li:member:1' },
    opaque: `ACoAA${'A'.repeat(34)}`,
  }
  const signals = matchesBy?.[asked]?.[0] ?? []
  const match = Object.fromEntries(signals.map((signal) => [signal, `${name}@${name}.example`]))
  const isMatch = type === 'match'
  const given: { match?: MatchInput } = isMatch ? { match: { ...match, minLikelihood: 0 } } : {}
  return { kind: asked, type, value: values[type] ?? name, ...given }
}

const order: readonly Identifier['type'][] = ['slug', 'id', 'domain', 'urn', 'opaque']
