/**
 * The URL of a module beside the importer, by its name without extension: TypeScript in the checkout, JavaScript in a
 * package.
 */
export function moduleUrl(name: string, importer: string): URL {
  return new URL(`${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer)
}
