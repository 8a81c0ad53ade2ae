import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseEntity, type Kin } from '../../../src/records/entities/choose-entity.ts'

/** Names as `type:value`, separated by spaces. */
const names = (text: string) =>
  text.split(' ').map((name) => {
    const end = name.indexOf(':')
    return { type: name.slice(0, end), value: name.slice(end + 1) }
  })
const isOurs = (key: string) => key.startsWith('urn:vitae:') || key.startsWith('vitae-')
const identity = (key: string, aliases: string) => ({ key, derived: isOurs(key), aliases: names(aliases) })
const kin = (id: number, key: string, aliases: string): Kin => ({ id, ...identity(key, aliases) })

/** A person with a platform number, and one with only names. */
const member = (number: number, more: string) =>
  [`urn:li:member:${number}`, `urn:urn:li:member:${number} ${more}`] as const
const guess = (name: string, more: string) =>
  [`urn:vitae:person:${name}`, `urn:urn:vitae:person:${name} ${more}`] as const

const nobody = { survivor: null, absorbed: [] }
const alone = (survivor: number) => ({ survivor, absorbed: [] })

test('an identity that shares no name is new', () => {
  expect(chooseEntity(identity(...member(1, 'slug:ada')), [])).toEqual(nobody)
  expect(chooseEntity(identity(...guess('ada', 'slug:ada')), [kin(1, ...guess('bea', 'slug:bea'))])).toEqual(nobody)
})

test('a platform key decides alone, whatever other names are shared', () => {
  const others = [kin(1, ...member(2, 'slug:ada vendor:9')), kin(2, ...member(1, 'slug:bea opaque:ACoAAold'))]
  expect(chooseEntity(identity(...member(1, 'slug:ada vendor:9 opaque:ACoAAnew')), others)).toEqual(alone(2))
  expect(chooseEntity(identity(...member(3, 'slug:ada vendor:9')), others)).toEqual(nobody)
})

test('a later learned platform key finds its entity, and only as a name of its own type', () => {
  const learned = kin(4, ...guess('ada', 'slug:old urn:urn:li:member:1'))
  expect(chooseEntity(identity(...member(1, 'slug:new vendor:9')), [learned])).toEqual(alone(4))
  const company = identity('77', 'id:77 slug:acme')
  expect(chooseEntity(company, [kin(1, '88', 'id:88 vendor:77 slug:acme')])).toEqual(nobody)
})

test('a derived key finds the entity that it was issued for, even if its ids have changed', () => {
  const given = kin(1, ...guess('ada', 'opaque:ACoAAold'))
  expect(chooseEntity(identity(...guess('ada', 'opaque:ACoAAnew')), [given])).toEqual(alone(1))
  const bare = kin(1, 'urn:vitae:person:ada', 'slug:bea')
  expect(chooseEntity(identity('urn:vitae:person:ada', 'slug:ada'), [bare])).toEqual(alone(1))
  // An entity that learned it as a name is not the one it was issued for.
  const heir = kin(1, ...member(1, 'urn:urn:vitae:person:ada opaque:ACoAAold'))
  expect(chooseEntity(identity(...guess('ada', 'opaque:ACoAAnew')), [heir])).toEqual(nobody)
})

test('a guess joins the entity that holds the strongest of its names, the one stored first among equals', () => {
  const bySlug = kin(1, ...member(1, 'slug:ada'))
  const byVendor = kin(5, ...member(5, 'vendor:9'))
  expect(chooseEntity(identity(...guess('x', 'slug:ada vendor:9')), [bySlug, byVendor])).toEqual(alone(5))
  expect(chooseEntity(identity(...guess('x', 'slug:ada')), [kin(3, ...member(3, 'slug:ada')), bySlug])).toEqual(
    alone(1),
  )
})

test('a derived key counts only if nothing else is shared', () => {
  const byKey = kin(1, ...guess('ada', 'slug:old'))
  const bySlug = kin(2, ...guess('bea', 'slug:ada'))
  const stranger = kin(3, ...guess('eve', 'slug:eve'))
  const asked = identity(...guess('ada', 'slug:ada'))
  expect(chooseEntity(asked, [byKey, bySlug])).toEqual(alone(2))
  expect(chooseEntity(asked, [byKey, stranger])).toEqual(alone(1))
})

test('no entity is merged with itself', () => {
  const known = { ...kin(1, 'urn:li:member:1', 'slug:ada'), derived: true }
  expect(chooseEntity(identity(...member(1, 'slug:ada')), [known])).toEqual(alone(1))
})

test('a derived key finds the entity that absorbed its holder', () => {
  const taken = kin(1, ...member(1, 'urn:urn:vitae:person:ada'))
  expect(chooseEntity(identity(...guess('ada', 'slug:new')), [taken])).toEqual(alone(1))
})

test('guesses that share a name are one, and the one stored first stays', () => {
  const guesses = [
    kin(9, ...guess('a', 'vendor:9')),
    kin(10, ...guess('b', 'slug:ada')),
    kin(2, ...guess('c', 'opaque:x')),
  ]
  const all = identity(...member(1, 'slug:ada vendor:9 opaque:x'))
  expect(chooseEntity(all, guesses)).toEqual({ survivor: 2, absorbed: [9, 10] })
  expect(chooseEntity(all, [kin(11, ...member(1, 'slug:bea')), ...guesses])).toEqual({
    survivor: 2,
    absorbed: [9, 10, 11],
  })
})

test("an entity with somebody else's key is not a guess, and is not merged", () => {
  const person = identity(...member(1, 'slug:ada'))
  expect(chooseEntity(person, [kin(1, ...guess('ada', 'slug:ada urn:urn:other:5'))])).toEqual(nobody)
  expect(chooseEntity(person, [{ ...kin(1, 'urn:other:5', 'slug:ada'), derived: false }])).toEqual(nobody)
  const company = identity('77', 'id:77 slug:acme')
  expect(chooseEntity(company, [kin(1, 'vitae-1', 'id:vitae-1 slug:acme id:other-5')])).toEqual(nobody)
  expect(chooseEntity(company, [kin(1, 'vitae-1', 'id:vitae-1 slug:acme id:vitae-2')])).toEqual(alone(1))
})

const contradicting = [
  ['member:1', 'member:2'],
  ['opaque:ACoAAone', 'opaque:ACoAAtwo'],
  ['urn:urn:li:member:1', 'urn:urn:li:member:2'],
  ['id:77', 'id:88'],
]
const telling = [
  ['vendor:1', 'vendor:2'],
  ['opaque:ACoAAone', 'opaque:AEMAAtwo'],
  ['opaque:ACoAAone opaque:ACoAAtwo', 'opaque:ACoAAsix opaque:ACoAAtwo'],
  ['opaque:ACoAAone opaque:ACoAAtwo', 'opaque:ACoAAone opaque:ACoAAsix'],
  ['member:1', 'opaque:ACoAAone'],
  ['urn:urn:other:1', 'urn:urn:other:2'],
  ['id:77x', 'id:88'],
  ['id:x77', 'id:88'],
]

test.each(contradicting)('%s and %s are two people, even if they share a slug', (one = '', other = '') => {
  const known = kin(1, ...guess('a', `slug:ada ${one}`))
  expect(chooseEntity(identity(...guess('b', `slug:ada ${other}`)), [known])).toEqual(nobody)
})

test.each(telling)('%s and %s may be one person', (one = '', other = '') => {
  const known = kin(1, ...guess('a', `slug:ada ${one}`))
  expect(chooseEntity(identity(...guess('b', `slug:ada ${other}`)), [known])).toEqual(alone(1))
})

test('guesses with different ids are not merged by a payload that shares a name with all of them', () => {
  const one = kin(1, ...guess('a', 'vendor:9 opaque:ACoAAone'))
  const open = kin(2, ...guess('b', 'vendor:9'))
  const other = kin(3, ...guess('c', 'slug:ada opaque:ACoAAtwo'))
  const asked = identity(...guess('d', 'slug:ada vendor:9'))
  expect(chooseEntity(asked, [one, open, other])).toEqual({ survivor: 1, absorbed: [2] })
})

test('an id and a new name together join the entity of the id and the guess with the name', () => {
  const mia = (last: string) => ({ names: [{ first: 'Mia', last }] })
  const known = { ...kin(1, ...member(7, 'slug:mia-reed')), ...mia('Reed') }
  const found = { ...kin(2, ...guess('mia', 'slug:mia-vance')), ...mia('Vance') }
  const married = { ...identity(...member(7, 'slug:mia-vance')), ...mia('Vance') }
  expect(chooseEntity(married, [known, found])).toEqual({ survivor: 1, absorbed: [2] })
  const stranger = { ...found, names: [{ first: 'Otto', last: 'Stone' }] }
  expect(chooseEntity(married, [known, stranger])).toEqual(alone(1))
})

test('two platform keys are never merged, whatever is shared', () => {
  const name = fc.constantFrom('slug:ada', 'slug:bea', 'vendor:9', 'opaque:ACoAAone', 'opaque:ACoAAtwo', 'member:1')
  const more = fc.uniqueArray(name, { minLength: 1 }).map((some) => some.join(' '))
  const key = fc.oneof(
    fc.nat(3).map((number) => member(number, 'slug:ada')),
    more.map((some) => guess('ada', some)),
  )
  const one = fc.tuple(key, more).map(([[own, aliases], some]) => ({ own, aliases: `${aliases} ${some}` }))
  fc.assert(
    fc.property(one, fc.array(one, { maxLength: 6 }), (asked, others) => {
      const all = others.map(({ own, aliases }, at) => kin(at + 1, own, aliases))
      const { survivor, absorbed } = chooseEntity(identity(asked.own, asked.aliases), all)
      const merged = [...(survivor === null ? [] : [survivor]), ...absorbed]
      const keys = all.filter(({ id, derived }) => merged.includes(id) && !derived).map((each) => each.key)
      expect(keys.length).toBeLessThanOrEqual(1)
      expect(merged).toEqual(merged.toSorted((a, b) => a - b))
      if (!isOurs(asked.own)) expect([[], [asked.own]]).toContainEqual(keys)
    }),
  )
})
