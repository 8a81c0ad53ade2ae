import type { ExperienceGroup, Person } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractCompany } from '../../fake-provider/contract-company.ts'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const derived = expect.stringMatching(/^vitae-[\da-f]{16}$/)
const page = (slug: string) => `https://www.linkedin.com/company/${slug}`

/** An employer by page alone, as from providers without platform numbers. */
function employer(slug: string, fields: Partial<ExperienceGroup> = {}): ExperienceGroup {
  const [group] = contractPerson('any').experience
  if (!group) throw new Error('a person without a job')
  return { ...group, company_name: `Company ${slug}`, company_id: null, company_url: page(slug), ...fields }
}

async function person(slug: string, fields: Partial<Person> = {}): Promise<Person> {
  if (Object.keys(fields).length > 0) service.upstream.people.set(slug, { ...contractPerson(slug), ...fields })
  const answer = await service.person(slug)
  expect(answer.status, answer.text).toBe(200)
  return answer.json as unknown as Person
}

async function companyId(slug: string, fields: object = {}): Promise<unknown> {
  service.upstream.companies.set(slug, { ...contractCompany(slug), ...fields })
  return (await service.company(slug)).json['company_id']
}

const idsOf = ({ experience }: Person) => experience.map((group) => group.company_id)

async function reprojectAll(): Promise<void> {
  for (;;) {
    const { done } = await service.admin<{ done: boolean }>('POST', '/records/reproject', { limit: 100 })
    if (done) return
  }
}

test('entity_urn is derived if the provider has none, and is the same at every fetch', async () => {
  const first = await person('nour-quill', { entity_urn: null } as unknown as Partial<Person>)
  service.clock.advance({ days: 30 })
  const second = await person('nour-quill')

  expect(first.entity_urn).toMatch(/^urn:vitae:profile:\d+$/)
  expect(second.entity_urn).toBe(first.entity_urn)
})

test('an employer and a school known by page have the id of their later record', async () => {
  const [school] = contractPerson('any').education
  if (!school) throw new Error('a person without a school')
  const { experience, education } = await person('ola-quill', {
    experience: [employer('unmet-works')],
    education: [{ ...school, school_id: null, company_id: null, school_url: page('unmet-school') }],
  })

  expect(experience[0]?.company_id).toEqual(derived)
  expect(await companyId('unmet-works', { company_id: null })).toBe(experience[0]?.company_id)
  expect(education[0]).toMatchObject({ school_id: derived, company_id: education[0]?.school_id })
  expect(await companyId('unmet-school', { company_id: null })).toBe(education[0]?.company_id)
})

test("an employer that the store knows has the platform's id", async () => {
  expect(await companyId('known-works', { company_id: '47200' })).toBe('47200')

  expect(idsOf(await person('pim-quill', { experience: [employer('known-works')] }))).toEqual(['47200'])
})

test('an unchanged job keeps its derived id when the real one is known: at a new fetch, an import and a reprojection', async () => {
  const first = await person('rae-quill', { experience: [employer('late-works')] })
  expect(idsOf(first)).toEqual([derived])
  expect(await companyId('late-works', { company_id: '47300' })).toBe('47300')

  await reprojectAll()
  expect(idsOf(await person('rae-quill'))).toEqual(idsOf(first))
  service.clock.advance({ days: 30 })
  expect(idsOf(await person('rae-quill'))).toEqual(idsOf(first))
  const line = JSON.stringify({ ...first, experience: [employer('late-works', { company_id: '47300' })] })
  const fetched_at = new Date(service.clock.now()).toISOString()
  await service.admin('POST', '/records/import', { kind: 'people', fetched_at, lines: [line] })
  expect(idsOf(await person('rae-quill'))).toEqual(idsOf(first))
})

test('only a changed job gets the newer id', async () => {
  const [old] = idsOf(await person('bea-quill', { experience: [employer('early-works')] }))
  expect(await companyId('early-works', { company_id: '47310' })).toBe('47310')
  expect(await companyId('next-works', { company_id: '47320' })).toBe('47320')
  service.clock.advance({ days: 30 })

  const ended = {
    start: { year: 2010, month: null, day: null, iso: '2010' },
    end: { year: 2012, month: null, day: null, iso: '2012' },
  }
  const moved = [employer('next-works'), employer('early-works', { date_range: ended, positions: [] })]
  expect(idsOf(await person('bea-quill', { experience: moved }))).toEqual(['47320', old])
})

test('a derived id still finds the company when the real one is known', async () => {
  const [id] = idsOf(await person('uma-quill', { experience: [employer('found-works')] }))
  await companyId('found-works', { company_id: '47600' })
  const calls = service.upstream.requests.length

  const { status, json } = await service.company(id ?? '')

  expect([status, json['company_id']]).toEqual([200, '47600'])
  expect(service.upstream.requests.length).toBe(calls)
})

test('a derived id that turns out to be a real one is not a job change and not a change at all', async () => {
  const first = await person('sol-quill', { experience: [employer('same-works')] })
  await companyId('same-works', { company_id: '47400' })
  service.clock.advance({ days: 30 })
  // Neither the page nor the name is the previous one: only the store knows that it is the same company.
  const renamed = { company_id: '47400', company_url: page('47400'), company_name: 'Same Works Limited' }
  expect(idsOf(await person('sol-quill', { experience: [employer('same-works', renamed)] }))).toEqual(idsOf(first))

  const { changes } = await service.admin<{ changes: { path: string }[] }>('GET', '/records/people/sol-quill/diff')

  const [id] = idsOf(first)
  expect(changes.map(({ path }) => path).toSorted()).toEqual([
    `experience[${id}].company_name`,
    `experience[${id}].company_url`,
  ])
})

test('two groups that turn out to be one company become one group', async () => {
  await companyId('twin-works', { company_id: '47500' })
  const [current, past] = [employer('twin-works'), contractPerson('any').experience[1]]
  if (!past) throw new Error('a person without a past job')

  const { experience } = await person('tam-quill', {
    experience: [current, { ...past, company_id: '47500', company_url: page('47500') }],
  })

  expect(idsOf({ experience } as Person)).toEqual(['47500'])
  expect(experience[0]?.positions.length).toBe(current.positions.length + past.positions.length)
})
