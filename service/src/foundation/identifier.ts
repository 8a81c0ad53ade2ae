import type { Kind } from '@vitae/contract'

/**
 * What a caller's text was resolved to.
 * `slug` is lower-cased NFC; `id` is a company number; `opaque` is a case-sensitive member id (`ACoAA...`).
 */
export interface Identifier {
  kind: Kind
  type: 'slug' | 'id' | 'opaque'
  value: string
}

/**
 * Another name of an entity. Public types are those of `Identifier`; `urn` is a durable key in full;
 * every other type is private to Vitae (`member` is the platform's member number, `coresignal`, `peopledatalabs`, ... are ids of a vendor).
 */
export interface Alias {
  type: string
  value: string
}

/** Whether a `company_id` is derived from a page, and not the platform's number. */
export function isDerivedCompanyId(id: string): boolean {
  return /^vitae-[\da-f]{16}$/.test(id)
}
