import { emptyPerson } from '@vitae/contract'
import { expect, test } from 'vitest'
import { sectionItem } from '@vitae/provider'
import { companyPagesIn } from '../../../src/records/entities/company-pages.ts'

test('derived company ids beside volunteering have the page that stands there, numbers need none', () => {
  const url = 'https://www.linkedin.com/company/tidewater-shelter'
  const derived = 'vitae-0123456789abcdef'
  const items = [sectionItem({ company_id: derived, url }), sectionItem({ company_id: '4711', url })]
  const record = { ...emptyPerson(), volunteer_experiences: [...items, sectionItem({ company_id: derived })] }

  expect(companyPagesIn(record)).toEqual([{ id: derived, slug: 'tidewater-shelter' }])
})
