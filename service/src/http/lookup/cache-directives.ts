/** What a caller's `Cache-Control` asks of the freshness rule. Unknown directives are ignored, as HTTP wants it. */
export interface CacheDirectives {
  onlyStored: boolean
  refuseStale: boolean
}

const nothing: CacheDirectives = { onlyStored: false, refuseStale: false }

/** Reads `only-if-cached` and `stale-if-error=0`. */
export function parseCacheDirectives(header: string | undefined): CacheDirectives {
  if (header === undefined) return nothing
  const directives = header.split(',').map((part) => part.trim().toLowerCase())
  return {
    onlyStored: directives.includes('only-if-cached'),
    refuseStale: directives.some((directive) => /^stale-if-error\s*=\s*"?0+"?$/.test(directive)),
  }
}
