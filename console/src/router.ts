import { useEffect, useState } from 'preact/hooks'

/** The current page of the console, read from the URL hash. */
export interface Route {
  page: string
  /** The decoded path segments after the page, such as the kind and id of a record. */
  rest: string[]
  query: URLSearchParams
  /** The whole hash as it appears in the URL. */
  address: string
}

/** Parses a hash such as `#/records/people/some-id?tab=history`. */
export function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [page = '', ...rest] = path.split('/').map(decodePart)
  return { page: page || 'overview', rest, query: new URLSearchParams(search), address: hash }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Builds a link to a page of the console. Empty query values are omitted. */
export function hrefTo(parts: string[], query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(given).toString()
  return `#/${parts.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`
}

/** Opens another page of the console; `replace` adds no entry to the browser history. */
export function goTo(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The last hash of each visited path, with filters and cursor, most recent last. */
const seen = new Map<string, string>()

/** Link back to the most recently visited of these lists, with its last filters and cursor. */
export function listHref(...paths: [string, ...string[]]): string {
  const latest = [...seen.keys()].findLast((path) => paths.includes(path))
  return seen.get(latest ?? '') ?? `#/${paths[0]}`
}

/**
 * Opens a dialog that the address asks for with `do`. The wish leaves the address at once, so that a reload does not open
 * the dialog again.
 */
export function useWish(wishes: Record<string, () => void>): void {
  useEffect(() => {
    const follow = () => {
      const { page, rest, query } = parseHash(location.hash)
      const open = wishes[query.get('do') ?? '']
      if (!open) return
      query.delete('do')
      goTo(hrefTo([page, ...rest], Object.fromEntries(query)), { replace: true })
      open()
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
}

/** The current route; the component renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const route = parseHash(hash)
  const path = [route.page, ...route.rest].join('/')
  seen.delete(path)
  seen.set(path, hash)
  return route
}
