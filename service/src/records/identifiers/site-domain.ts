import { parse } from 'tldts'

/** The host of a web site, and its registered domain. */
export interface SiteDomain {
  /** Lower case, ASCII, without `www`. */
  host: string
  domain: string
}

/**
 * Reads the host of a URL or a bare name; null if it has no registrable domain, such as an IP address or a public
 * suffix. Hosting names count as suffixes, so that two pages on one hosting service are two sites.
 */
export function siteDomain(text: string): SiteDomain | null {
  const trimmed = text.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return null
  const url = scheme === undefined ? `https://${trimmed.replace(/^\/\//, '')}` : trimmed
  const isAddress = scheme === undefined && trimmed.includes('@')
  if (isAddress || /[\s\\]/.test(trimmed) || !URL.canParse(url)) return null
  const host = new URL(url).hostname.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, '')
  const { domain, isIp } = parse(host, { allowPrivateDomains: true })
  return domain === null || isIp ? null : { host, domain }
}
