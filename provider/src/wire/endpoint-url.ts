/**
 * The URL of an endpoint. `root` is the fixed beginning of the provider's paths. It is not added again if the
 * operator's base URL already ends with it, as with a gateway or a copied example.
 */
export function endpointUrl(base: string, root: string, path: string): URL {
  const url = new URL(base)
  const prefix = url.pathname.replace(/\/+$/, '')
  url.pathname = `${prefix.endsWith(root) ? prefix : prefix + root}${path}`
  url.search = ''
  url.hash = ''
  return url
}
