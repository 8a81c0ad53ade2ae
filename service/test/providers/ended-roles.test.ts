import type { Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { findProjector } from '../../src/providers/find-projector.ts'
import { expectContractRules } from '../contract-rules.ts'
import { periodOf } from './shown.ts'

/** A role in each provider's format, with the given dates. */
interface Role {
  title: string
  start: unknown
  end: unknown
}

const numbered = (start: unknown) => (start === '2018-05' ? { month: 5, year: 2018 } : start)
const payloads: Record<string, (roles: Role[]) => object> = {
  peopledatalabs: (roles) => ({
    full_name: 'Ada Reed',
    experience: roles.map(({ title, start, end }) => ({
      company: { name: title },
      title: { name: title },
      start_date: start,
      end_date: end,
    })),
  }),
  brightdata: (roles) => ({
    name: 'Ada Reed',
    experience: roles.map(({ title, start, end }) => ({ title, company: title, start_date: start, end_date: end })),
  }),
  coresignal: (roles) => ({
    full_name: 'Ada Reed',
    experience: roles.map(({ title, start, end }) => ({
      position_title: title,
      company_name: title,
      date_from: start,
      date_to: end,
    })),
  }),
  harvestapi: (roles) => ({
    firstName: 'Ada',
    experience: roles.map(({ title, start, end }) => ({
      position: title,
      companyName: title,
      startDate: numbered(start),
      endDate: typeof end === 'string' ? { text: end } : end,
    })),
  }),
  enrichlayer: (roles) => ({
    full_name: 'Ada Reed',
    experiences: roles.map(({ title, start, end }) => ({
      title,
      company: title,
      starts_at: numbered(start),
      ends_at: end,
    })),
  }),
  directory: ownShape,
  mirror: ownShape,
}

function ownShape(roles: Role[]): object {
  const experience = roles.map(({ title, start, end }) => ({
    company_name: title,
    positions: [{ title, date_range: { start: numbered(start), end } }],
  }))
  return { member_urn: 'urn:li:member:7', first_name: 'Ada', experience }
}

function projected(provider: string, payload: Uint8Array): Person {
  const record = findProjector(provider)?.project('people', payload).record as Person
  expectContractRules('people', record)
  return record
}

function rolesOf(provider: string, roles: Role[]): [string | null, string | null][] {
  const payload = new TextEncoder().encode(JSON.stringify(payloads[provider]?.(roles)))
  const { experience } = projected(provider, payload)
  return experience.map((group) => [group.company_name, periodOf(group.positions[0]?.date_range)])
}

describe.each(Object.keys(payloads))('a role at %s', (provider) => {
  const role = (end: unknown, start: unknown = '2018-05') =>
    rolesOf(provider, [{ title: 'Reader', start, end }])[0]?.[1]

  test.each([['unknown'], [{ text: 'unknown' }], ['Foober'], [{ month: 12, year: null }], [true]])(
    'that ended %j keeps its start and ends in that year',
    (end) => {
      expect(role(end)).toBe('2018-05..2018')
    },
  )

  test.each([
    ['Dezember 2019', '2018-05..2019-12'],
    ['diciembre de 2019', '2018-05..2019-12'],
    ['2019-03', '2018-05..2019-03'],
    ['Foober 2019', '2018-05..2019'],
    ['Present', '2018-05..'],
    ['Heute', '2018-05..'],
    [null, '2018-05..'],
  ])('with the end %j', (end, period) => {
    expect(role(end)).toBe(period)
  })

  test('never ends before it begins', () => {
    expect(role('2012-03')).toBe('2012-03..2018-05')
  })

  test('without a known year comes after all that have one', () => {
    const roles = [
      { title: 'Undated', start: null, end: 'unknown' },
      { title: 'Ended', start: '2018-05', end: 'unknown' },
      { title: 'Current', start: '2018-05', end: null },
      { title: 'Dated', start: '2018-05', end: '2020-01' },
    ]
    expect(rolesOf(provider, roles)).toEqual([
      ['Current', '2018-05..'],
      ['Dated', '2018-05..2020-01'],
      ['Ended', '2018-05..2018'],
      ['Undated', null],
    ])
  })
})

test('a role that Coresignal calls inactive keeps its start', () => {
  const project = (rows: object[]) => {
    const payload = new TextEncoder().encode(JSON.stringify({ full_name: 'Ada Reed', experience: rows }))
    const { experience } = projected('coresignal', payload)
    return experience.map((group) => [group.company_name, periodOf(group.date_range)])
  }
  const row = (company_name: string, more: object) => ({ company_name, position_title: 'Reader', ...more })

  expect(
    project([
      row('Quay', { date_from_year: 2016, date_from_month: 2, active_experience: 0 }),
      row('Pier', { active_experience: 0 }),
      row('Dock', { date_from_year: 2011, date_to_year: 2014, active_experience: 0 }),
      row('Mole', { date_from_year: 2020, active_experience: 1 }),
    ]),
  ).toEqual([
    ['Mole', '2020..'],
    ['Quay', '2016-02..2016'],
    ['Dock', '2011..2014'],
    ['Pier', null],
  ])
})

test('a role at People Data Labs without a start ends in the year in which it was last seen', () => {
  const row = { company: { name: 'Quay' }, title: { name: 'Reader' }, end_date: 'unknown', last_seen: '2015-03-09' }
  const payload = new TextEncoder().encode(
    JSON.stringify({ full_name: 'Ada Reed', experience: [{ ...row, is_primary: true }] }),
  )
  const { experience } = projected('peopledatalabs', payload)

  expect(periodOf(experience[0]?.date_range)).toBe('..2015')
})
