import { emptyPerson, units, type Person } from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillRecord, planFills, type Fill, type SaidVersion } from '../../../src/records/filling/plan-fills.ts'
import { unitStates, unitValue } from '../../../src/records/filling/unit-states.ts'

const names = units.people.map(({ name }) => name)

/** Versions of several providers. A provider answers once at any time. */
const versions = fc
  .uniqueArray(
    fc.record({
      provider: fc.constantFrom('alpha', 'beta', 'gamma'),
      fetchedAt: fc.integer({ min: 1, max: 5 }),
      states: fc
        .array(fc.constantFrom('v', 'e', 'u'), { minLength: names.length, maxLength: names.length })
        .map((states) => states.join('')),
    }),
    { minLength: 1, maxLength: 8, selector: ({ provider, fetchedAt }) => `${provider} ${fetchedAt}` },
  )
  .map((all) => all.map((version, index): SaidVersion => ({ ...version, id: index + 1 })))

/** The rule in the words of the design: newest first, then by provider name. */
function reference(base: SaidVersion, all: readonly SaidVersion[]): Fill[] {
  const filled: Fill[] = []
  for (const [place, unit] of names.entries()) {
    if (base.states[place] !== 'u') continue
    let best: SaidVersion | undefined
    for (const other of all) {
      if (other.id === base.id || other.states[place] === 'u') continue
      const isNewer = !best || other.fetchedAt > best.fetchedAt
      const isFirst = best?.fetchedAt === other.fetchedAt && other.provider < best.provider
      if (isNewer || isFirst) best = other
    }
    if (best?.states[place] === 'v')
      filled.push({ unit, versionId: best.id, provider: best.provider, fetchedAt: best.fetchedAt })
  }
  return filled
}

describe('the fold of random versions', () => {
  test('equals a short reference', () => {
    fc.assert(
      fc.property(versions, (all) => {
        const [base] = all
        if (base) expect(planFills('people', base, all)).toEqual(reference(base, all))
      }),
    )
  })

  test('does not depend on their order in the store', () => {
    fc.assert(
      fc.property(versions, fc.infiniteStream(fc.nat()), (all, chance) => {
        const [base] = all
        const order = chance[Symbol.iterator]()
        const shuffled = all.map((one) => ({ one, at: order.next().value as number })).toSorted((a, b) => a.at - b.at)
        if (!base) return
        const others = shuffled.map(({ one }) => one)
        expect(planFills('people', base, others)).toEqual(planFills('people', base, all))
      }),
    )
  })

  test('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(fc.subarray(names), (some) => {
        const whole = completePerson()
        const fills = some.map((unit) => ({ unit, from: whole }))
        const once = fillRecord(emptyPerson('urn:1', 'urn:2'), fills)
        expect(fillRecord(once, fills)).toEqual(once)
        for (const unit of some) expect(unitValue(once, unit)).toEqual(unitValue(whole, unit))
        expect(once.member_urn).toBe('urn:1')
        expect(once.first_name).toBeNull()
      }),
    )
  })
})

describe('what a version says', () => {
  const supplies = new Set(['headline', 'summary', 'contact_info.email_address', 'experience.company_name'])
  const stateOf = (record: Person, unit: string, notSaid: string[] = []) =>
    unitStates('people', record, { supplies, notSaid })[names.indexOf(unit)]
  const empty = emptyPerson('urn:1', 'urn:2')

  test.each([
    ['an empty text of a provider that supplies it is an answer', 'summary', [], 'e'],
    ['one of a provider that does not supply it is none', 'industry', [], 'u'],
    ['an empty contact detail proves nothing', 'contact_info.email_address', [], 'u'],
    ['a section that the payload did not contain is not said', 'experience', ['experience'], 'u'],
    ['one that it contained empty is said', 'experience', [], 'e'],
  ])('%s', (_, unit, notSaid, state) => {
    expect(stateOf(empty, unit, notSaid)).toBe(state)
  })

  test('a value is stated, except in a section that was not stated', () => {
    const named = { ...completePerson() }
    expect(stateOf(named, 'experience')).toBe('v')
    expect(stateOf(named, 'experience', ['experience'])).toBe('u')
  })
})

function completePerson(): Person {
  const text = 'said'
  const person = emptyPerson('urn:3', 'urn:4')
  const group = { ...person, company_name: text } as unknown as Person['experience'][number]
  return { ...person, first_name: 'Ada', headline: text, summary: text, skills: [text], experience: [group] }
}
