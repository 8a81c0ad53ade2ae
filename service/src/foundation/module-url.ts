/** The address of a module beside the caller's, by its name without ending: TypeScript in the checkout, JavaScript in a package. */
export function moduleUrl(name: string, importer: string): URL {
  return new URL(`${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer)
}
