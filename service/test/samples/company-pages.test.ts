import type { Company } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseIdentifier, companyPageOf } from '../../src/records/identifiers/parse-identifier.ts'
import { sampleCompany } from '../../src/samples/sample-company.ts'

const company = (text: string): Company => sampleCompany(parseIdentifier('companies', text), companyPageOf(text))
const slugs = fc.oneof(fc.stringMatching(/^[a-z][a-z\d-]{0,40}$/), fc.stringMatching(/^[\u0430-\u044f]{1,30}$/))
const companies = fc.oneof(slugs, fc.stringMatching(/^[1-9]\d{0,299}$/), fc.stringMatching(/^vitae-[\da-f]{16}$/))

test('a sample company is the same by number, slug, derived id and any kind of page', () => {
  const pages = fc
    .tuple(fc.constantFrom('company', 'school', 'showcase'), slugs)
    .map(([page, slug]) => `https://www.linkedin.com/${page}/${encodeURIComponent(slug)}/`)
  fc.assert(
    fc.property(fc.oneof(companies, pages), (text) => {
      const first = company(text)
      const byId = company(first.company_id ?? '')
      expect(company(byId.public_identifier ?? '')).toEqual(byId)
      expect(company(byId.platform_url ?? '')).toEqual(byId)
      expect({ ...first, public_identifier: '', platform_url: '' }).toEqual({
        ...byId,
        public_identifier: '',
        platform_url: '',
      })
    }),
    { numRuns: 400 },
  )
})

test('a summary links to its page, and a showcase page back to its company', () => {
  const summaries = fc.sample(slugs, { numRuns: 300, seed: 7 }).flatMap((slug) => {
    const { company_id: id, showcase_pages: showcases, affiliated_companies: others } = company(slug)
    return [...(showcases ?? []), ...(others ?? [])].map((summary) => ({ id, summary }))
  })
  expect(summaries.some(({ summary }) => summary.is_showcase)).toBe(true)
  for (const { id, summary } of summaries) {
    const names = [summary.public_identifier, summary.entity_urn, summary.company_url].map((name) => name ?? '')
    for (const page of names.map(company)) {
      expect(page).toMatchObject({ company_name: summary.company_name, is_showcase: summary.is_showcase })
      expect(page.platform_url).toBe(summary.company_url)
      if (summary.is_showcase) expect(page.affiliated_companies).toMatchObject([{ entity_urn: `urn:li:company:${id}` }])
    }
  }
})

test('the URL of a school returns a school', () => {
  fc.assert(
    fc.property(slugs, (slug) => {
      const school = company(`https://www.linkedin.com/school/${encodeURIComponent(slug)}`)
      expect(school).toMatchObject({ public_identifier: slug, company_type: { type_code: 'EDUCATIONAL' } })
      expect(school.platform_url).toContain('/school/')
    }),
  )
})
