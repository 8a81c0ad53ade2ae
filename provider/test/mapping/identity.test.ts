import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProviderFault } from '../../src/provider-fault.ts'
import { companyIdentity, personIdentity } from '../../src/mapping/identity.ts'
import { memberNumberOf } from '../../src/mapping/opaque-id.ts'

test('the member number is the key of a person, and every other id an alias', () => {
  expect(
    personIdentity({
      memberNumber: '00042',
      opaqueId: 'ACoAAx',
      slug: 'Ada-É',
      vendor: { provider: 'coresignal', id: '9' },
    }),
  ).toEqual({
    key: 'urn:li:member:42',
    derived: false,
    aliases: [
      { type: 'urn', value: 'urn:li:member:42' },
      { type: 'member', value: '42' },
      { type: 'opaque', value: 'ACoAAx' },
      { type: 'slug', value: 'ada-é' },
      { type: 'coresignal', value: '9' },
    ],
  })
})

test('the company number is the key of a company, and every other id an alias', () => {
  expect(
    companyIdentity({ companyNumber: '1441', slug: 'Acme', vendor: { provider: 'peopledatalabs', id: 'p1' } }),
  ).toEqual({
    key: '1441',
    derived: false,
    aliases: [
      { type: 'id', value: '1441' },
      { type: 'slug', value: 'acme' },
      { type: 'peopledatalabs', value: 'p1' },
    ],
  })
})

const id = fc.option(fc.string({ minLength: 1, unit: fc.constantFrom(...'abcXYZ019-_') }))

test('a derived key is marked as derived, stable, never an alias, and made only of the strongest alias', () => {
  fc.assert(
    fc.property(id, id, id, (opaqueId, slug, vendorId) => {
      fc.pre(opaqueId !== null || slug !== null || vendorId !== null)
      const vendor = { provider: 'coresignal', id: vendorId }
      const one = personIdentity({ opaqueId, slug, vendor })
      expect(one.derived).toBe(true)
      expect(one.key).toMatch(/^urn:vitae:person:[0-9a-f]{16}$/)
      expect(one.aliases.map((alias) => alias.value)).not.toContain(one.key)
      if (opaqueId !== null) expect(personIdentity({ opaqueId }).key).toBe(one.key)
      else if (slug !== null) expect(personIdentity({ slug: slug.toUpperCase() }).key).toBe(one.key)
      else expect(personIdentity({ vendor }).key).toBe(one.key)
    }),
  )
  expect(companyIdentity({ slug: 'acme' })).toMatchObject({
    derived: true,
    key: expect.stringMatching(/^vitae-[0-9a-f]{16}$/),
  })
})

test('different people have different derived keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 20 }), (slugs) => {
      expect(new Set(slugs.map((slug) => personIdentity({ slug }).key)).size).toBe(slugs.length)
    }),
  )
})

test('a person with only a name gets a key made of the payload, and a payload without a name is refused', () => {
  expect(personIdentity({ fallback: '{"name":"Sam"}' })).toMatchObject({ derived: true, aliases: [] })
  expect(() => personIdentity({ memberNumber: 'x', slug: '', opaqueId: null })).toThrow(ProviderFault)
  expect(() => companyIdentity({ companyNumber: '0' })).toThrow(ProviderFault)
})

test('a member number is read from an opaque id only if every checkable byte is right', () => {
  const opaque = (number: number, mark = 1, head = 0x2a) => {
    const bytes = Buffer.alloc(29, 7)
    bytes.writeUInt16BE(head, 0)
    bytes.writeUIntBE(number, 2, 6)
    bytes.writeUInt8(mark, 8)
    return bytes.toString('base64url')
  }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (number) => {
      expect(memberNumberOf(opaque(number))).toBe(String(number))
      expect(memberNumberOf(opaque(number, 2))).toBeNull()
      expect(memberNumberOf(opaque(number, 1, 0x2c))).toBeNull()
      expect(memberNumberOf(opaque(number).slice(1))).toBeNull()
      expect(memberNumberOf(`${opaque(number)}A`)).toBeNull()
    }),
  )
  expect([null, '', 'ACoAAAsamplepersonsamplepersonsampleperson', opaque(0)].map(memberNumberOf)).toEqual([
    null,
    null,
    null,
    null,
  ])
})
