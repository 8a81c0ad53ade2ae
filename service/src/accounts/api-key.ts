import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type KeyMode = 'live' | 'test'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const form = new RegExp(`^vt_(test|live)_[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Creates a key. It is shown once; only its hash is stored. */
export function createApiKey(mode: KeyMode): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  const body = `vt_${mode}_${random}`
  return body + checksum(body)
}

/** True if the form and checksum of a key are right. Any other text is refused without reading the store. */
export function isWellFormedKey(key: string): boolean {
  return form.test(key) && key.endsWith(checksum(key.slice(0, -checksumLength)))
}

/** The stored form of a key: its SHA-256 in hex. 190 random bits need no slow hash. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** The form that operators see: enough to distinguish keys, too little to use one. */
export function displayApiKey(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let index = 0; index < checksumLength; index++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
