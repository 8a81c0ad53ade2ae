import { isOpaqueId } from '@vitae/provider'

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

/** The opaque member ids that stand anywhere in a text: alone, in a URL, in a URN. */
export function opaqueIdsIn(text: string): string[] {
  return text.split(/[^\w-]+/).filter(isOpaqueId)
}

/** The kinds of page that a company may have; a URL says which, a slug or a number does not. */
export type CompanyPage = 'company' | 'school' | 'showcase'
