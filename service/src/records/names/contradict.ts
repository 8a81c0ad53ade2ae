import { siteDomain } from '../identifiers/site-domain.ts'
import { companiesMayAgree, domainsMayAgree } from './compare-companies.ts'
import { firstNamesMayAgree, namesMayAgree } from './compare-names.ts'

/** What a record says of a person's name. */
export interface PersonName {
  first: string | null
  last: string | null
}

/** What a record says of a company's name, and of its web site as a URL or a domain. */
export interface CompanyName {
  name: string | null
  site: string | null
}

/** True where two names cannot be of one person. A part that one of them lacks contradicts nothing. */
export function personNamesContradict(one: PersonName, other: PersonName): boolean {
  return !mayBeNamed(one, other) && !mayBeNamed(other, one)
}

function mayBeNamed({ first, last }: PersonName, known: PersonName): boolean {
  return (!first || mayBeFirstName(first, known)) && (!last || mayBeLastName(last, known))
}

/** True where a first name can be that of a person. Languages differ in which name comes first, so both are compared. */
export function mayBeFirstName(given: string, { first, last }: PersonName): boolean {
  return !first || firstNamesMayAgree(given, `${first} ${withoutInitials(last)}`)
}

/** The same for a last name. */
export function mayBeLastName(given: string, { first, last }: PersonName): boolean {
  return !last || namesMayAgree(given, `${last} ${withoutInitials(first)}`)
}

function withoutInitials(name: string | null): string {
  return (name ?? '').replace(/(?<!\p{L})(?!\p{Lo})\p{L}(?!\p{L})/gu, '')
}

/** True where two companies cannot be one: the sites decide where both are known, and otherwise the names. */
export function companyNamesContradict(one: CompanyName, other: CompanyName): boolean {
  const [site, itsSite] = [one.site, other.site].map((url) => (url ? siteDomain(url) : null))
  if (site && itsSite) {
    const isAlike = domainsMayAgree(site.domain, itsSite.domain, other.name)
    return !isAlike && !domainsMayAgree(itsSite.domain, site.domain, one.name)
  }
  return Boolean(one.name && other.name) && !companiesMayAgree(one.name ?? '', other.name ?? '')
}
