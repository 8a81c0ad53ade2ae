import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { malformedBodies, oddBodies } from './own-json.ts'
import { ownRequests } from './own-requests.ts'
import { ownStrings } from './own-strings.ts'
import { ownUrls } from './own-urls.ts'

/** Public corpora beside the checkout. They stay outside the repository; without them the tests use only our own. */
const folder = join(import.meta.dirname, '../../../../shared/corpora')
const havePublic = existsSync(folder)

/** Texts that break programs: ours, and the Big List of Naughty Strings. */
export function hostileStrings(): string[] {
  const file = join(folder, 'blns/blns.json')
  return [...ownStrings, ...(havePublic ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [])]
}

/** URLs in odd spellings: ours, and those of the web platform's URL tests, both as written and as resolved. */
export function hostileUrls(): string[] {
  const file = join(folder, 'wpt-url/urltestdata.json')
  const cases = havePublic ? (JSON.parse(readFileSync(file, 'utf8')) as unknown[]) : []
  const urls = cases.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { input, href, base } = entry as { input?: string; href?: string; base?: string | null }
    return [input, href, base]
  })
  return [...new Set([...ownUrls, ...urls.filter((url) => typeof url === 'string')])]
}

/** Bodies that are not JSON: ours, and the 188 of JSONTestSuite. */
export function malformedJson(): Map<string, Uint8Array> {
  return new Map([...named('ours', malformedBodies), ...suite('n_')])
}

/** Bodies that are JSON or almost JSON, but not a record. */
export function oddJson(): Map<string, Uint8Array> {
  return new Map([...named('odd', oddBodies), ...suite('y_'), ...suite('i_')])
}

function named(prefix: string, bodies: readonly (string | Buffer)[]): [string, Uint8Array][] {
  return bodies.map((body, index) => [`${prefix}-${index}`, Buffer.from(body)])
}

function suite(prefix: string): [string, Uint8Array][] {
  const bodies = join(folder, 'JSONTestSuite/test_parsing')
  const files = havePublic ? readdirSync(bodies).filter((name) => name.startsWith(prefix)) : []
  return files.map((file, index) => [`${prefix.slice(0, 1)}-${index}`, readFileSync(join(bodies, file))])
}

/** Malformed requests as bytes: ours, and the cases of llhttp's tests. */
export function hostileRequests(): { name: string; bytes: Buffer }[] {
  const requests = join(folder, 'llhttp/test/request')
  const files = havePublic ? readdirSync(requests) : []
  const cases = files.flatMap((file) => {
    const text = readFileSync(join(requests, file), 'utf8')
    return Array.from(text.matchAll(/```http\n([\s\S]*?)```/g), ([, block = ''], index) => ({
      name: `${file} ${index}`,
      bytes: wireBytes(block),
    }))
  })
  return [...ownRequests, ...cases]
}

const escapes: Record<string, string> = { r: '\r', n: '\n', t: '\t', f: '\f' }

/** Parses a case like llhttp's own runner: line ends are CRLF, a backslash joins lines, and escapes are decoded. */
function wireBytes(block: string): Buffer {
  const text = block
    .replace(/\n$/, '')
    .replaceAll('\\\n', '')
    .replaceAll('\n', '\r\n')
    .replace(/\\([rntf])/g, (_all, letter: string) => escapes[letter] ?? '')
    .replace(/\\x([0-9a-fA-F]+)/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\([0-7]{1,3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
  return Buffer.from(text, 'latin1')
}
