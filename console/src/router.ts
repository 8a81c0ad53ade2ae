import { useEffect, useState } from 'preact/hooks'

/** The present place in the console, read from the part of the address after the `#`. */
export interface Route {
  page: string
  /** What follows the page, decoded: the kind and the id of a record, for example. */
  rest: string[]
  query: URLSearchParams
  /** All of it, as in the address. */
  address: string
}

/** Reads `#/records/people/some-id?tab=history`. */
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

/** The address of a page of the console, for links. Empty values of the query are left out. */
export function hrefTo(parts: string[], query: Record<string, string | null | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(given).toString()
  return `#/${parts.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`
}

/** Goes to another page of the console; `replace` leaves no step in the history. */
export function goTo(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Every place as it was last seen, with its filters and its page of a list; the latest is the last. */
const seen = new Map<string, string>()

/** The way back from one thing to the list that it was found in: the one of these that was seen last, as it was. */
export function listHref(...paths: [string, ...string[]]): string {
  const latest = [...seen.keys()].findLast((path) => paths.includes(path))
  return seen.get(latest ?? '') ?? `#/${paths[0]}`
}

/** The present route; the component is drawn again when it changes. */
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
