import type { Company, Person } from '@vitae/contract'
import { foldText, searchWords } from '../../foundation/text/fold-text.ts'
import { siteDomain } from '../identifiers/site-domain.ts'
import { siteWord } from './company-pages.ts'
import { unpack } from '../../database/packing/pack.ts'

/** The folded texts by which the operator's search finds a record. */
export interface SearchTexts {
  name: string | null
  /** Words of the name, of a person's current companies, and the site of a company, separated by spaces. */
  words: string
}

/** The name of a record as written. */
export function recordName(record: Person | Company): string | null {
  if ('company_name' in record) return record.company_name
  const name = [record.first_name, record.last_name].filter((part) => part !== null && part !== '').join(' ')
  return name === '' ? null : name
}

/** The search texts of a record. */
export function searchTexts(record: Person | Company): SearchTexts {
  const name = recordName(record)
  const domain = 'company_url' in record && record.company_url ? siteDomain(record.company_url)?.domain : null
  const site = domain ? [siteWord(domain)] : []
  return {
    name: name === null ? null : foldText(name),
    words: [...searchWords([name ?? '', ...('experience' in record ? currentCompanies(record) : [])]), ...site].join(
      ' ',
    ),
  }
}

/** Parses the record of a stored body. */
export function recordInBody(body: Uint8Array): Person | Company {
  // Written by serialiseRecord.
  return JSON.parse(Buffer.from(unpack(body)).toString()) as Person | Company
}

function currentCompanies(person: Person): string[] {
  return person.experience.flatMap(({ company_name: name, date_range: range, positions }) => {
    const current = range ? range.end === null : positions.some((position) => position.date_range?.end === null)
    return current && name !== null ? [name] : []
  })
}
