import { emptyCompany, emptyPerson, type Person } from '@vitae/contract'
import { sectionItem } from '@vitae/provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derivedCompanyId } from '../../../src/foundation/identifier.ts'
import {
  addCompanyPages,
  companiesBySite,
  companyPage,
  companyPagesIn,
  findCompanyKeys,
  keysOfDerivedIds,
  removeCompanyPages,
} from '../../../src/records/rows/company-pages.ts'
import { engines } from '../../harness/engines.ts'
import { noon, openTestStore, type TestStore } from '../store-fixture.ts'

const id = (number: number) => `vitae-${String(number).padStart(16, '0')}`
const url = (slug: string) => `https://www.linkedin.com/company/${slug}`

test('the pages of a person are those beside derived ids of jobs, schools and volunteering; numbers need none', () => {
  const record = {
    ...emptyPerson(),
    experience: [
      { company_id: id(1), company_url: url('one') },
      { company_id: null, company_url: url('none') },
    ] as Person['experience'],
    education: [{ company_id: id(2), school_url: url('two') }] as Person['education'],
    volunteer_experiences: [
      sectionItem({ company_id: id(3), url: url('three') }),
      sectionItem({ company_id: '4711', url: url('number') }),
      sectionItem({ company_id: id(4) }),
    ],
  }
  expect(companyPagesIn(record)).toEqual([
    { id: id(1), slug: 'one' },
    { id: id(2), slug: 'two' },
    { id: id(3), slug: 'three' },
  ])
  expect(companyPagesIn({ ...emptyCompany(), company_id: id(1) })).toEqual([])
})

describe.each(engines)('pages of companies on $name', (engine) => {
  let fixture: TestStore
  beforeAll(async () => {
    fixture = await openTestStore(engine)
  })
  afterAll(() => fixture.close())
  const pages = (...numbers: number[]) => Promise.all(numbers.map((number) => companyPage(fixture, { id: id(number) })))

  test('an id keeps its first page until the company is erased, by its id or by its slug', async () => {
    const add = (...some: { id: string; slug: string }[]) => fixture.write(({ db }) => addCompanyPages(db, some))
    await add({ id: id(2), slug: 'two' }, { id: id(1), slug: 'one' }, { id: id(3), slug: 'three' })
    await add({ id: id(1), slug: 'other' })
    await add()
    expect(await pages(1, 2, 3, 4)).toEqual(['one', 'two', 'three', null])
    const forget = (...names: { type: string; value: string }[]) =>
      fixture.write(({ db }) => removeCompanyPages(db, names))
    await forget(
      { type: 'id', value: id(1) },
      { type: 'slug', value: 'two' },
      { type: 'vendor', value: id(3) },
      { type: 'id', value: 'three' },
    )
    expect(await pages(1, 2, 3)).toEqual([null, null, 'three'])
    await forget()
    expect(await pages(3)).toEqual(['three'])
  })

  test('slugs and derived ids find the keys of companies, and of nobody else', async () => {
    await fixture.save({ kind: 'companies', slug: 'acme', number: 77 })
    await fixture.save({ kind: 'companies', slug: 'brand', number: 88 })
    await fixture.save({ slug: 'carla', number: 5, more: [{ type: 'id', value: 'x' }] })
    expect(await findCompanyKeys(fixture, { slugs: ['acme', 'brand', 'carla', 'none', '77'] })).toEqual(
      expect.arrayContaining([
        { slug: 'acme', key: '77' },
        { slug: 'brand', key: '88' },
      ]),
    )
    expect(await findCompanyKeys(fixture, { slugs: ['carla', 'none', '77'] })).toEqual([])
    expect(await keysOfDerivedIds(fixture.db, [derivedCompanyId('acme'), 'acme', 'x'])).toEqual(
      new Map([[derivedCompanyId('acme'), '77']]),
    )
    expect(await keysOfDerivedIds(fixture.db, [])).toEqual(new Map())
  })

  test('companies are found by their own site, newest first, up to a limit', async () => {
    const save = (number: number, at: number, site: string) =>
      fixture.save({ kind: 'companies', slug: `site-${number}`, number, at, record: { company_url: site } })
    await save(1, noon + 1, 'https://www.ropeworks.com')
    await save(2, noon + 3, 'https://ropeworks.com/about')
    await save(3, noon + 2, 'https://shop.ropeworks.com')
    await save(4, noon + 4, 'https://ropework.com')
    const found = (limit: number) => companiesBySite(fixture, { domain: 'ropeworks.com', limit })
    expect(await found(9)).toEqual(['2', '3', '1'])
    expect(await found(2)).toEqual(['2', '3'])
    expect(await companiesBySite(fixture, { domain: 'none.com', limit: 9 })).toEqual([])
  })
})
