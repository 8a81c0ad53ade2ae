import type { Company, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { companyAt, personAt } from '../projected.ts'
import { sharedPayloads } from '../shared-payloads.ts'
import { groupsOf } from '../shown.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })
const real = sharedPayloads('peopledatalabs')
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

interface Source {
  birth_date: string
  linkedin_id: string
  experience: { company: { linkedin_id: string } }[]
  education: { school: { linkedin_id: string } }[]
}

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  const source = (file: string): Source => JSON.parse(new TextDecoder().decode(payload(file)))

  test('person-1: sorted by later end, the primary job is not current, ids of the platform', () => {
    const record = personOf(payload('person-1'))
    const raw = source('person-1')

    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2019-09-22..2021-11-20',
      '2019-11-24..2021-09-09',
      '2019-11-13..2020-09-23',
      '2019-04-16..2019-07-30',
    ])
    expect(new Set(record.experience.map((group) => group.company_id))).toEqual(
      new Set(raw.experience.map((row) => row.company.linkedin_id)),
    )
    expect(record.experience[1]?.company_employee_count_range).toEqual({ start: 10_001, end: null })
    expect(record.location.country_code).toBe('CA')
    expect(record.contact_info?.birth_date?.iso).toBe(raw.birth_date)
    expect(record.network_info?.connections_count).toBe(6311)
    expect(record.education.map((item) => item.school_id)).toEqual(raw.education.map((row) => row.school.linkedin_id))
    expect([record.certifications.length, record.languages.length, record.skills.length]).toEqual([3, 4, 2])
    // The sandbox has words in place of the platform's numbers, so the key is derived.
    expect(record.member_urn).toMatch(/^urn:vitae:person:/)
  })

  test('company-1: size, place and the stage, but not the sum, of the last round', () => {
    const record = companyOf(payload('company-1'))

    expect(record.company_id).toBe(source('company-1').linkedin_id)
    expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
    expect(record.staff_info).toEqual({ staff_count: 85, staff_range: { start: 51, end: 200 } })
    expect(record.locations?.headquarter).toMatchObject({ country: 'us', postal_code: '94105', is_headquarter: true })
    expect(record.founded_on).toEqual({ year: 2015, month: null, day: null })
    expect(record.specialities?.length).toBe(10)
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 7,
      last_funding_round: { money_raised: null, announced_on: { year: 2021, month: 11, day: 16 } },
    })
    expect(record.affiliated_companies).toEqual([])
  })
})
