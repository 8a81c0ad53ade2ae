import type { Kind, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { findProjector } from '../../src/providers/find-projector.ts'
import { sections as brightdata } from '../../src/providers/brightdata/supplies.ts'
import { sections as coresignal } from '../../src/providers/coresignal/supplies.ts'
import { sections as enrichlayer } from '../../src/providers/enrichlayer/supplies.ts'
import { sections as harvestapi } from '../../src/providers/harvestapi/supplies.ts'
import { sections as peopledatalabs } from '../../src/providers/peopledatalabs/supplies.ts'
import { expectContractRules } from '../contract-rules.ts'

const declared = { brightdata, coresignal, enrichlayer, harvestapi, peopledatalabs }
const names: Record<string, Record<Kind, object>> = {
  brightdata: { people: { id: 'ada-reed', name: 'Ada Reed' }, companies: { id: 'flint', name: 'Flint' } },
  coresignal: {
    people: { full_name: 'Ada Reed', public_profile_id: 7 },
    companies: { company_name: 'Flint', source_id: '7' },
  },
  enrichlayer: {
    people: { public_identifier: 'ada-reed', full_name: 'Ada Reed' },
    companies: { universal_name_id: 'flint', name: 'Flint' },
  },
  harvestapi: {
    people: { publicIdentifier: 'ada-reed', firstName: 'Ada' },
    companies: { universalName: 'flint', name: 'Flint', id: '7' },
  },
  peopledatalabs: {
    people: { linkedin_username: 'ada-reed', full_name: 'Ada Reed' },
    companies: { linkedin_slug: 'flint', name: 'Flint' },
  },
}

function project(provider: string, kind: Kind, payload: object) {
  const projection = findProjector(provider)?.project(kind, Buffer.from(JSON.stringify(payload)))
  if (!projection) throw new Error(`no provider ${provider}`)
  expectContractRules(kind, projection.record)
  return { ...projection, unsaid: projection.unsaid ?? [] }
}

describe.each(Object.entries(declared))('%s', (provider, sections) => {
  test.each(['people', 'companies'] as const)('says of %s only the sections that its payload has', (kind) => {
    const named = names[provider]?.[kind] ?? {}
    const units = Object.keys(sections[kind])
    const supplied = findProjector(provider)?.supplies[kind] ?? new Set()

    expect(project(provider, kind, named).unsaid).toEqual(units)
    for (const [unit, [member = '']] of Object.entries(sections[kind])) {
      expect(project(provider, kind, { ...named, [member]: [] }).unsaid).not.toContain(unit)
      expect([...supplied].some((path) => path === unit || path.startsWith(`${unit}.`))).toBe(true)
    }
  })

  test('a null or hidden section is not stated, a null text is', () => {
    const named = names[provider]?.people ?? {}
    const [member = ''] = sections.people.experience ?? []
    const [about = ''] = sections.people.summary ?? []

    for (const missing of [null, true]) {
      expect(project(provider, 'people', { ...named, [member]: missing }).unsaid).toContain('experience')
    }
    expect(project(provider, 'people', { ...named, [about]: null }).unsaid).not.toContain('summary')
    expect(project(provider, 'people', { ...named, [about]: true }).unsaid).toContain('summary')
  })
})

const company = { company_name: 'Flint', company_id: 'vitae-', title: 'Engineer' }
const currentJobs: [provider: string, list: string, named: object, job: Partial<typeof company>][] = [
  [
    'brightdata',
    'experience',
    { current_company: { name: 'Flint', link: 'https://uk.linkedin.com/company/flint?trk=x', title: 'Engineer' } },
    company,
  ],
  [
    'brightdata',
    'experience',
    { current_company_name: 'Flint', current_company_company_id: 'flint' },
    { company_name: 'Flint', company_id: 'vitae-' },
  ],
  [
    'peopledatalabs',
    'experience',
    { job_title: 'Engineer', job_company_name: 'Flint', job_company_linkedin_id: '1441', job_start_date: '2020-01' },
    { ...company, company_id: '1441' },
  ],
  [
    'coresignal',
    'experience',
    { active_experience_title: 'Engineer', active_experience_company_id: 99 },
    { title: 'Engineer' },
  ],
  [
    'harvestapi',
    'experience',
    { currentPosition: [{ companyName: 'Flint', companyId: '1441', startDate: { year: 2020 } }] },
    { company_name: 'Flint', company_id: '1441' },
  ],
  ['enrichlayer', 'experiences', { occupation: 'Engineer at Flint' }, { company_name: 'Flint', title: 'Engineer' }],
]

test.each(currentJobs)(
  '%s: a current job beside an empty %s is shown without dates and counts as not stated',
  (name, list, job, wanted) => {
    const named = names[name]?.people ?? {}
    for (const listed of [{}, { [list]: null }, { [list]: [] }]) {
      const { record, unsaid } = project(name, 'people', { ...named, ...job, ...listed })
      const groups = (record as Person).experience

      expect(unsaid.filter((unit) => unit === 'experience')).toEqual(['experience'])
      expect(groups).toHaveLength(1)
      expect(groups[0]).toMatchObject({
        company_name: wanted.company_name ?? null,
        date_range: null,
        positions: [{ title: wanted.title ?? null, date_range: null }],
      })
      expect(groups[0]?.company_id?.slice(0, wanted.company_id?.length)).toBe(wanted.company_id)
    }
  },
)

test('an empty list without a current job beside it states that there are no jobs', () => {
  for (const [name, list] of currentJobs) {
    const { record, unsaid } = project(name, 'people', { ...names[name]?.people, [list]: [] })
    expect((record as Person).experience).toEqual([])
    expect(unsaid).not.toContain('experience')
  }
})

test.each(['directory', 'mirror'])(
  '%s: an absent or unreadable member is not stated, an empty list means none',
  (name) => {
    const { unsaid } = project(name, 'people', {
      member_urn: 'urn:li:member:7',
      first_name: 'Ada',
      experience: [],
      education: 4,
    })
    expect(unsaid).not.toContain('experience')
    expect(unsaid).toEqual(expect.arrayContaining(['education', 'skills', 'summary']))

    const shown = project(name, 'companies', { company_id: '7', company_name: 'Flint', industries: [], tagline: null })
    expect(shown.unsaid).not.toContain('industries')
    expect(shown.unsaid).toEqual(expect.arrayContaining(['tagline', 'locations']))
  },
)
