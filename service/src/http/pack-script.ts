import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { constants, gzip, zstdCompress } from 'node:zlib'
import type { Coding } from '../foundation/compress.ts'

type Pack = (coding: Coding) => Promise<Buffer>
const strongest: Record<Coding, (bytes: Buffer, pack: Pack) => Promise<Buffer>> = {
  zstd: (bytes) => promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  gzip: async (_bytes, pack) => promisify(gzip)(unpackingScript(await pack('zstd')), { level: 9 }),
}

/** Compresses a script strongly and once per coding: several megabytes become less than one. */
export function scriptPacker(bytes: Buffer): Pack {
  const made = new Map<Coding, Promise<Buffer>>()
  const pack: Pack = (coding) => {
    const packing = made.get(coding) ?? strongest[coding](bytes, pack)
    made.set(coding, packing)
    return packing
  }
  return pack
}

/**
 * A script that holds another one as zstd, unpacks it and runs it at once. Browsers take only gzip over http, whose
 * window of 32 kB is too small: 1.25 MB of gzip become 0.98 MB. Brotli over https: 0.94 MB after 7 s of CPU.
 */
function unpackingScript(packed: Buffer): string {
  const decoder = readFileSync(createRequire(import.meta.url).resolve('fzstd'), 'utf8')
  return `(() => {
const exports = {}
${decoder}
const packed = Uint8Array.from(atob('${packed.toString('base64')}'), (letter) => letter.charCodeAt(0))
const script = document.createElement('script')
script.nonce = document.currentScript.nonce
script.textContent = new TextDecoder().decode(exports.decompress(packed))
document.currentScript.after(script)
})()`
}

/** Empties the translations of Scalar's script: the page is English, and they are a sixth of a megabyte. */
export function withoutTranslations(script: string): string {
  const places = script.matchAll(/[{,](?:ar|de|es|fr|pt|ru|"zh-CN"):(?:\{apiClient:)?([\w$]+)/g)
  const names = new Set([...places].map(([, name]) => name ?? ''))
  return [...names].reduce((text, name) => {
    const start = text.indexOf(`{${name}={`) + name.length + 3
    const end = text.indexOf('}}))', start)
    return start < name.length + 3 || end < 0 ? text : text.slice(0, start) + text.slice(end)
  }, script)
}
