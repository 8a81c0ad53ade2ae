import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../../shared/corpora')

/** Whether the public corpora lie beside this checkout; a test that goes without them says so loudly. */
export const haveCorpora = existsSync(folder)
if (!haveCorpora) console.warn('NOT RUN: tests with public corpora, because there are none beside this checkout')

/** The Big List of Naughty Strings. */
export function naughtyStrings(): string[] {
  return JSON.parse(readFileSync(join(folder, 'blns/blns.json'), 'utf8')) as string[]
}

/** Every URL of the web platform's URL tests, as written and as resolved. */
export function testUrls(): string[] {
  const cases = JSON.parse(readFileSync(join(folder, 'wpt-url/urltestdata.json'), 'utf8')) as unknown[]
  const urls = cases.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { input, href, base } = entry as { input?: string; href?: string; base?: string | null }
    return [input, href, base]
  })
  return [...new Set(urls.filter((url) => typeof url === 'string'))]
}

/** The request cases of llhttp's own tests, as the bytes that they stand for. */
export function wireRequests(): { name: string; bytes: Buffer }[] {
  const requests = join(folder, 'llhttp/test/request')
  return readdirSync(requests).flatMap((file) => {
    const text = readFileSync(join(requests, file), 'utf8')
    return Array.from(text.matchAll(/```http\n([\s\S]*?)```/g), ([, block = ''], index) => ({
      name: `${file} ${index}`,
      bytes: wireBytes(block),
    }))
  })
}

const escapes: Record<string, string> = { r: '\r', n: '\n', t: '\t', f: '\f' }

/** As llhttp's own runner reads its cases: line ends are CRLF, a backslash joins lines, and escapes are escapes. */
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
