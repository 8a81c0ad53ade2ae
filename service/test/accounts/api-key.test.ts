import { expect, test } from 'vitest'
import { createApiKey, displayApiKey, hashApiKey, isWellFormedKey } from '../../src/accounts/api-key.ts'

/** Keys that were issued earlier. They must stay valid. */
const live = 'vt_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2R2CDE'
const practice = 'vt_test_0123456789ABCDEFGHIJKLMNOPQRSTUV303KRJ'

test('a new key is well-formed, has its mode, and is unique', () => {
  const keys = Array.from({ length: 100 }, () => createApiKey('live'))
  for (const key of keys) expect(key).toMatch(/^vt_live_[0-9A-Za-z]{38}$/)
  expect(keys.filter((key) => !isWellFormedKey(key))).toEqual([])
  expect(new Set(keys).size).toBe(100)
  expect(createApiKey('test')).toMatch(/^vt_test_/)
  // All characters occur.
  expect(new Set(keys.flatMap((key) => [...key.slice(8, 40)])).size).toBe(62)
})

test('an issued key stays well-formed, and has the hash that is stored', () => {
  expect([live, practice].map(isWellFormedKey)).toEqual([true, true])
  expect(hashApiKey(live)).toBe('506a0b682b9baf8eb34e82389d7050a33a5b3d017af5112ec319b7ad4f01535d')
})

test('a key with any character changed, missing or added is refused', () => {
  const changed = Array.from(
    live,
    (letter, at) => `${live.slice(0, at)}${letter === 'b' ? 'c' : 'b'}${live.slice(at + 1)}`,
  )
  const others = [
    ...changed,
    live.slice(1),
    live.slice(0, -1),
    `${live}x`,
    `x${live}`,
    live.replace('live', 'test'),
    `${live}\n`,
    '',
  ]
  expect(others.filter(isWellFormedKey)).toEqual([])
})

test('a text with a valid checksum but without the form of a key is refused', () => {
  // As long as a key, each with a valid checksum.
  const forged = [
    'vt_live_-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'vt_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'xvt_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ]
  expect(forged.map((body) => body + checksumOf(body)).filter(isWellFormedKey)).toEqual([])
  expect(isWellFormedKey(live.slice(0, 40) + checksumOf(live.slice(0, 40)))).toBe(true)
})

test('operators see the beginning and the end of a key', () => {
  expect(displayApiKey(live)).toBe('vt_live_aaaa…2CDE')
})

/** CRC-32 in six base-62 digits, bit by bit. */
function checksumOf(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let written = ''
  for (let place = 0; place < 6; place++) {
    written = digits.charAt(rest % 62) + written
    rest = Math.floor(rest / 62)
  }
  return written
}
