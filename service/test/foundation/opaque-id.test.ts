import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOpaqueId, opaqueIdsIn } from '../../src/foundation/identifier.ts'
import { opaqueIdFromUrl, slugFromUrl } from '@vitae/provider'
import { parseIdentifier } from '../../src/records/identifiers/parse-identifier.ts'
import { candidateNames } from '../../src/records/suppression/candidate-names.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const prefix = fc.constantFrom('ACoAA', 'ACwAA', 'AEMAA', 'ACrAA', 'ADEAA')
const ending = (minLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength: 40 }).filter((text) => /[\dA-Za-z]/.test(text))
const wholeId = fc.tuple(prefix, ending(34)).map((parts) => parts.join(''))

test('an opaque member id of any type is recognised for a caller, a payload and a restored backup', () => {
  fc.assert(
    fc.property(wholeId, (id) => {
      const url = `https://www.linkedin.com/in/${id}`
      expect(parseIdentifier('people', id)).toEqual({ kind: 'people', type: 'opaque', value: id })
      expect(opaqueIdFromUrl(url)).toBe(id)
      expect(slugFromUrl(url, ['in'])).toBeNull()
      for (const text of [id, url, `urn:li:fsd_profile:${id}`, `urn:li:fs_salesProfile:(${id},NAME_SEARCH,x)`])
        expect(candidateNames({ text }, 'vendor')).toContainEqual({ kind: 'people', type: 'opaque', value: id })
    }),
  )
})

test('a slug with the same beginning is a slug for all of them', () => {
  fc.assert(
    fc.property(prefix, ending(0), (start, rest) => {
      const text = `${start}${rest}`
      const url = `https://www.linkedin.com/in/${text}`
      const { type } = parseIdentifier('people', text)

      expect(isOpaqueId(text)).toBe(type === 'opaque')
      expect(opaqueIdFromUrl(url) !== null).toBe(type === 'opaque')
      expect(slugFromUrl(url, ['in']) !== null).toBe(type === 'slug')
      expect(opaqueIdsIn(url)).toHaveLength(type === 'opaque' ? 1 : 0)
    }),
  )
})
