import { isOpaqueId } from '../identifier.ts'
import { normalised, object, text } from './text.ts'

const pageKinds = ['in', 'company', 'school', 'showcase'] as const
export type PageKind = (typeof pageKinds)[number]

/** The slug in a page URL, NFC and lower-cased; null for a number, a search, or a page of another kind or site. */
export function slugFromUrl(url: unknown, kinds: PageKind[]): string | null {
  const page = pageOf(url)
  if (!page || !kinds.includes(page.kind) || isOpaqueId(page.name)) return null
  if (page.kind !== 'in' && /^\d+$/.test(page.name)) return null
  return foldSlug(page.name)
}

/** The number in a URL such as `/company/1441/`. */
export function numericIdFromUrl(url: unknown): string | null {
  const page = pageOf(url)
  return page && page.kind !== 'in' && /^\d{1,19}$/.test(page.name) ? String(BigInt(page.name)) : null
}

/** The opaque member id in a profile's URL. */
export function opaqueIdFromUrl(url: unknown): string | null {
  const page = pageOf(url)
  return page?.kind === 'in' && isOpaqueId(page.name) ? page.name : null
}

/** Folds a slug for comparison. */
export function foldSlug(slug: string): string {
  return normalised(slug, 'NFC').toLowerCase()
}

/** The canonical URL of a page, without country and tracking parts; null for a search or another site. */
export function canonicalPageUrl(url: unknown): string | null {
  const page = pageOf(url)
  return page && `https://www.linkedin.com/${page.kind}/${encodeURIComponent(page.name)}`
}

/** Whether a URL is a showcase page; null if it is not a company page. */
export function isShowcaseUrl(url: unknown): boolean | null {
  const page = pageOf(url)
  return page && page.kind !== 'in' ? page.kind === 'showcase' : null
}

/** The URL of a company page, by slug or number. */
export function companyPageUrl(slugOrId: string): string {
  return `https://www.linkedin.com/company/${encodeURIComponent(slugOrId)}`
}

/** The URL of a person's page. */
export function profileUrl(slug: string): string {
  return `https://www.linkedin.com/in/${encodeURIComponent(slug)}`
}

function pageOf(url: unknown): { kind: PageKind; name: string } | null {
  const match = /^(?:https?:)?(?:\/\/)?(?:[\w-]+\.)*linkedin\.com\/(in|company|school|showcase)\/([^/?#]+)/i.exec(
    text(url) ?? '',
  )
  const kind = pageKinds.find((one) => one === match?.[1]?.toLowerCase())
  const name = decoded(match?.[2] ?? '')
  return kind && name ? { kind, name } : null
}

function decoded(part: string): string | null {
  try {
    return text(decodeURIComponent(part))
  } catch {
    return text(part)
  }
}

/** The URL of an image given as text or as `{url}`; null for the platform's grey placeholders and for inline data. */
export function imageUrl(value: unknown): string | null {
  const url = text(value) ?? text(object(value).url)
  return url === null || /^https?:\/\/static\.licdn\.com\/|^data:/i.test(url) ? null : url
}
