import type { Kind } from '@vitae/contract'
import { isOpaqueId, type Alias } from '@vitae/provider'

// Providers use the same names, so these are defined in the provider kit.
export {
  derivedCompanyId,
  isDerivedCompanyId,
  isOpaqueId,
  type Alias,
  type Identifier,
  type MatchInput,
  type MatchSignal,
} from '@vitae/provider'

/** A name of any type, of a person or a company. */
export interface KindAlias extends Alias {
  kind: Kind
}

/**
 * The key of a name: `people/slug/ada`. It is the only text form of a name with its kind, in memory and between nodes.
 */
export function identifierKey({ kind, type, value }: KindAlias): string {
  return `${kind}/${type}/${value}`
}

/** Parses a key written by `identifierKey`. Only the value may contain a slash. */
export function readIdentifierKey(key: string): { kind: string; type: string; value: string } {
  const [kind = '', type = '', ...rest] = key.split('/')
  return { kind, type, value: rest.join('/') }
}

/** All opaque member ids in a text: alone, in a URL, in a URN. */
export function opaqueIdsIn(text: string): string[] {
  return text.split(/[^\w-]+/).filter(isOpaqueId)
}

/** The kinds of company pages; a URL shows the kind, a slug or a number does not. */
export type CompanyPage = 'company' | 'school' | 'showcase'
