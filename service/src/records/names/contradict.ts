import { siteDomain } from '../identifiers/site-domain.ts'
import { companiesMayAgree, domainsMayAgree } from './compare-companies.ts'
import { compareFirstNames, compareLastNames } from './compare-names.ts'

/** A person's name as given by a record or a caller. */
export interface PersonName {
  first: string | null
  last: string | null
}

/** A company's name and its web site, as a URL or a domain. */
export interface CompanyName {
  name: string | null
  site: string | null
}

/** True if two names cannot belong to one person. A part that one of them lacks contradicts nothing. */
export function personNamesContradict(one: PersonName, other: PersonName): boolean {
  return contradictedNames(one, other).length > 0
}

/**
 * The parts of a name that contradict the other name. If both parts agree only weakly, they contradict: `Jane Schmidt`
 * is not `John Smith`. First and last name may be swapped, because languages differ in their order.
 */
export function contradictedNames(given: PersonName, known: PersonName): ('first' | 'last')[] {
  const first = given.first && known.first ? compareFirstNames(given.first, known.first) : 'same'
  const last = given.last && known.last ? compareLastNames(given.last, known.last) : 'same'
  if ((first !== 'other' && last !== 'other' && !(first === 'alike' && last === 'alike')) || isSwapped(given, known))
    return []
  if (first !== 'other' && last !== 'other') return ['last']
  return [...(first === 'other' ? (['first'] as const) : []), ...(last === 'other' ? (['last'] as const) : [])]
}

function isSwapped(given: PersonName, known: PersonName): boolean {
  const isFirst = !given.first || !known.last || compareFirstNames(given.first, known.last) === 'same'
  const isLast = !given.last || !known.first || compareLastNames(given.last, known.first) === 'same'
  return isFirst && isLast && Boolean(given.first ? known.last : known.first)
}

/** True if two companies cannot be the same: the sites decide if both are known, otherwise the names. */
export function companyNamesContradict(one: CompanyName, other: CompanyName): boolean {
  const [site, itsSite] = [one.site, other.site].map((url) => (url ? siteDomain(url) : null))
  if (site && itsSite) {
    const isAlike = domainsMayAgree(site.domain, itsSite.domain, other.name)
    return !isAlike && !domainsMayAgree(itsSite.domain, site.domain, one.name)
  }
  return Boolean(one.name && other.name) && !companiesMayAgree(one.name ?? '', other.name ?? '')
}
