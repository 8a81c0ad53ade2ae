import { expect, test } from 'vitest'
import { parseIdentifier } from '../../../src/records/identifiers/parse-identifier.ts'

test('every character that is allowed in a slug survives a second parse', () => {
  const wrong: string[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point)
    if (/\p{C}/u.test(character)) continue
    const first = readQuietly(`a${character}b`)
    if (first !== null && readQuietly(first) !== first) wrong.push(point.toString(16))
  }
  expect(wrong).toEqual([])
})

function readQuietly(text: string): string | null {
  try {
    return parseIdentifier('companies', text).value
  } catch {
    return null
  }
}
