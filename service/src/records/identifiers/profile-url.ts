import type { Kind } from '@vitae/contract'
import { invalidIdentifier } from './invalid-identifier.ts'

const sections: Record<Kind, RegExp> = {
  people: /^\/in\/([^/]+)/i,
  companies: /^\/(?:company|school|showcase)\/([^/]+)/i,
}
const examples: Record<Kind, string> = { people: '/in/{slug}', companies: '/company/{slug}' }

const withAuthority = /^(?:[a-z][a-z\d+.-]*:)?\/\/([^/?#]*)([^?#]*)/i
const withoutScheme = /^([^/?#]*)([^?#]*)/
// ASCII only, and tested before lower-casing: there are foreign letters whose lower case is ASCII.
const hostName = /^[a-z\d-]+(?:\.[a-z\d-]+)*$/i
const dotSegment = /^(?:\.|%2e){1,2}$/i

/**
 * Takes the still encoded slug out of a URL of the platform. Read by hand and not by `URL`, which mends what must be
 * refused here: backslashes, line breaks, `..` and foreign letters in the host.
 */
export function slugInUrl(kind: Kind, url: string, hosts: readonly string[]): string {
  const [, authority = '', path = ''] = withAuthority.exec(url) ?? withoutScheme.exec(url) ?? []
  if (!isPlatformHost(authority, hosts)) {
    throw invalidIdentifier(kind, `must be a slug or a URL of ${hosts.join(' or ')}, without user name and port`)
  }
  if (path.split('/').some((segment) => dotSegment.test(segment))) {
    throw invalidIdentifier(kind, 'must be a URL without . and .. in its path')
  }
  const slug = sections[kind].exec(path)?.[1]
  if (slug === undefined) throw invalidIdentifier(kind, `must be a URL with a path like ${examples[kind]}`)
  return slug
}

function isPlatformHost(authority: string, hosts: readonly string[]): boolean {
  if (!hostName.test(authority)) return false
  const name = authority.toLowerCase()
  return hosts.some((host) => name === host || name.endsWith(`.${host}`))
}
