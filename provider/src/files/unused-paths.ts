import type { Kind } from '@vitae/contract'
import { ProviderFault } from '../provider-fault.ts'
import { compileProviderFile } from './compile-file.ts'
import type { Path } from './expression.ts'

/** The paths of a file that none of these payloads has: misspelled, or of a shape that no payload shows. */
export function unusedPaths(
  file: string,
  text: string,
  payloads: readonly { kind: Kind; body: Uint8Array }[],
): string[] {
  const seen = new Set<Path>()
  const { paths, create, defaultUrl } = compileProviderFile(file, text, (path) => seen.add(path))
  const provider = create({ url: defaultUrl, key: '' })
  for (const { kind, body } of payloads) {
    try {
      provider.project(kind, body)
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error
    }
  }
  return [...new Set(paths.filter((path) => !seen.has(path)).map((path) => path.text))]
}
