import type { Kind } from '@vitae/contract'
import { isOpaqueId, type Alias } from '@vitae/provider'

// Providers name records as the service does, so these stand in their kit.
export {
  derivedCompanyId,
  isDerivedCompanyId,
  isOpaqueId,
  type Alias,
  type Identifier,
  type MatchInput,
  type MatchSignal,
} from '@vitae/provider'

/** A name of a person or a company, of any type. */
export interface KindAlias extends Alias {
  kind: Kind
}

/** The key of a name: `people/slug/ada`. The only text form of a name and its kind, in memory and between nodes. */
export function identifierKey({ kind, type, value }: KindAlias): string {
  return `${kind}/${type}/${value}`
}

/** The name that `identifierKey` wrote. Only a value may contain a slash. */
export function readIdentifierKey(key: string): { kind: string; type: string; value: string } {
  const [kind = '', type = '', ...rest] = key.split('/')
  return { kind, type, value: rest.join('/') }
}

/** The opaque member ids that stand anywhere in a text: alone, in a URL, in a URN. */
export function opaqueIdsIn(text: string): string[] {
  return text.split(/[^\w-]+/).filter(isOpaqueId)
}

/** The kinds of page that a company may have; a URL says which, a slug or a number does not. */
export type CompanyPage = 'company' | 'school' | 'showcase'
