import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suppressionHash } from '../../../src/records/suppression/suppression-hash.ts'

test('the hash of a name is its HMAC with the secret, so that lists of every release agree', () => {
  const text = fc.oneof(fc.string(), fc.constant('Zoë 永'))
  const secrets = fc.oneof(text, fc.string({ minLength: 65, maxLength: 200 }))
  fc.assert(
    fc.property(secrets, text, (secret, value) => {
      const told = JSON.stringify(['people', 'vendor', value])
      const expected = createHmac('sha256', secret).update(told).digest('hex')
      expect(suppressionHash(secret, 'people', { type: 'vendor', value })).toBe(expected)
    }),
  )
})
