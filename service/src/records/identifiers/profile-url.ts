import type { Kind } from '@vitae/contract'
import { type CompanyPage, isOpaqueId } from '../../foundation/identifier.ts'
import { invalidIdentifier } from './invalid-identifier.ts'

const sections: Record<Kind, RegExp> = {
  people: /^\/(?:(?:mwlite|comm|m)\/)?in\/([^/]+)/i,
  companies: /^\/(?:(?:mwlite|comm|m|organization-guest)\/)?(?:company|school|showcase)\/([^/]+)/i,
}
/** Pages of the sales tool name people by an opaque id, with more after a comma, and companies by number. */
const salesSections: Record<Kind, RegExp> = {
  people: /^\/sales\/(?:lead|people)\/([\w-]+)(?=[/,]|%2c|$)/i,
  companies: /^\/sales\/company\/(\d+)(?=\/|$)/i,
}
/** A path alone, as people copy it out of a URL: `in/ada`, `company/acme/`. */
const pathAlone: Record<Kind, RegExp> = {
  people: /^\/?in\/+[^/]/i,
  companies: /^\/?(?:company|school|showcase)\/+[^/]/i,
}
const bareSlug = /^(?!(?:in|company|school|showcase)\/)([a-z\d-]+)\/+$/i
const examples: Record<Kind, string> = { people: '/in/{slug}', companies: '/company/{slug}' }

const authorityAndPath = /^(?:(?:[a-z][a-z\d+.-]*:)?\/\/)?([^/?#]*)([^?#]*)/i
// ASCII only, and tested before lower-casing: there are foreign letters whose lower case is ASCII.
const hostName = /^([a-z\d-]+(?:\.[a-z\d-]+)*)(?::443)?$/i
const dotSegment = /^(?:\.|%2e){1,2}$/i

/**
 * Takes the still encoded slug out of a URL of the platform, or out of its path alone. Read by hand and not by `URL`,
 * which repairs what must be refused here: backslashes, line breaks, `..` and foreign letters in the host.
 */
export function slugInUrl(kind: Kind, url: string, hosts: readonly string[]): string {
  const bare = bareSlug.exec(url)?.[1]
  if (bare !== undefined) return bare
  const path = pathOf(kind, url, hosts).replace(/\/{2,}/g, '/')
  if (path.split('/').some((segment) => dotSegment.test(segment))) {
    throw invalidIdentifier(kind, 'must be a URL without . and .. in its path')
  }
  const slug = sections[kind].exec(path)?.[1] ?? salesId(kind, path)
  if (slug !== undefined) return slug
  if (kind === 'people' && /^\/pub\//i.test(path)) {
    const reason =
      'is an old /pub/ address, which names no profile by itself: open it and send the /in/ address it leads to'
    throw invalidIdentifier(kind, reason)
  }
  throw invalidIdentifier(kind, `must be a URL with a path like ${examples[kind]}`)
}

function pathOf(kind: Kind, url: string, hosts: readonly string[]): string {
  if (pathAlone[kind].test(url)) return `/${url.replace(/^\//, '').replace(/[?#].*/s, '')}`
  const [, authority = '', path = ''] = authorityAndPath.exec(url) ?? []
  if (isPlatformHost(authority, hosts)) return path
  throw invalidIdentifier(kind, `must be a slug or a URL of ${hosts.join(' or ')}, without user name and port`)
}

function isPlatformHost(authority: string, hosts: readonly string[]): boolean {
  const name = hostName.exec(authority)?.[1]?.toLowerCase()
  return name !== undefined && hosts.some((host) => name === host || name.endsWith(`.${host}`))
}

/** A slug in the place of an opaque id would be somebody else's name. */
function salesId(kind: Kind, path: string): string | undefined {
  const id = salesSections[kind].exec(path)?.[1]
  if (id === undefined || kind === 'companies') return id
  return isOpaqueId(id) ? id : undefined
}

const otherPage = /^(?:[^?#]*\/)?(school|showcase)\//i

/** The kind of page that a caller's text is the address of; a slug, a number or any other address is a company's. */
export function companyPageOf(text: string): CompanyPage {
  const named = otherPage.exec(text)?.[1]?.toLowerCase()
  return named === 'school' || named === 'showcase' ? named : 'company'
}
