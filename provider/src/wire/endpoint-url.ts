/**
 * The address of one endpoint. `root` is the fixed beginning of the provider's paths; an operator who configured it
 * as part of the base URL (a gateway, a copied example) gets it once, not twice.
 */
export function endpointUrl(base: string, root: string, path: string): URL {
  const url = new URL(base)
  const prefix = url.pathname.replace(/\/+$/, '')
  url.pathname = `${prefix.endsWith(root) ? prefix : prefix + root}${path}`
  url.search = ''
  url.hash = ''
  return url
}
