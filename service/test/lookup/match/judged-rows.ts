import { fictionalCompany, type FictionalPerson } from '../../../fake-provider/fiction.ts'
import { slugOfMatch } from '../../../fake-provider/wire/wire.ts'
import { different, same, unsure, type Pair } from './labelled-pairs.ts'

/** A labelled pair as a question, and the person whom a provider or the store has for it. */
export interface JudgedRow {
  label: 'same' | 'different' | 'unsure'
  /** The input of the row, besides its names. */
  by: 'email' | 'phone' | 'name'
  body: Record<string, string>
  /** The key by which the fake providers know the person. */
  asked: string
  slug: string
  facts: Partial<FictionalPerson>
}

const labelled = [
  ...same.map((pair) => ({ ...pair, label: 'same' as const })),
  // A person match takes no country.
  ...different.filter(({ row }) => !row.country_code).map((pair) => ({ ...pair, label: 'different' as const })),
  ...unsure.map((pair) => ({ ...pair, label: 'unsure' as const })),
]

/** Each pair in one of three ways, in turn. Providers refuse records without a name, so those are left out. */
export const judgedRows: readonly JudgedRow[] = labelled
  .filter(({ record }) => record.first !== null && record.last !== null)
  .map(rowOf)

function rowOf({ label, row, record }: Pair & Pick<JudgedRow, 'label'>, at: number): JudgedRow {
  const { first_name, last_name, company_name } = row
  const isNamed = first_name !== undefined && last_name !== undefined
  const by = at % 3 === 2 ? (isNamed ? 'name' : 'email') : at % 3 ? 'phone' : 'email'
  const slug = `labelled-${at}`
  const email = `${slug}@rows.example`
  const phone = `+4930${20_000_000 + at}`
  // A name alone finds nobody, so both have an employer.
  const employer = company_name ?? (by === 'name' ? `Lamphouse ${at}` : undefined)
  const names = { first_name, last_name, company: employer }
  const given = { ...names, ...(by === 'email' ? { email } : by === 'phone' ? { phone } : {}) }
  const body = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const query = by === 'name' ? { name: `${first_name} ${last_name}` } : body
  return { label, by, body, asked: slugOfMatch(new URLSearchParams(query)) ?? '', slug, facts: factsOf(record, given) }
}

function factsOf(
  { first, last, employers = [] }: Pair['record'],
  { email, phone, company }: Partial<Record<string, string | undefined>>,
): Partial<FictionalPerson> {
  const all = company?.startsWith('Lamphouse') ? [company, ...employers] : employers
  const jobs = all.map((name, at) => {
    const start = { year: 2018 - at, month: 1 }
    const end = at === 0 ? null : { year: 2019 - at, month: 1 }
    return {
      company: { ...fictionalCompany(`employer-${at}-of-${[...name].length}`), name },
      title: 'Archivist',
      start,
      end,
    }
  })
  return {
    firstName: first ?? '',
    lastName: last ?? '',
    headline: 'Archivist',
    email: email ?? 'nobody@people.example',
    phones: phone ? [phone] : [],
    jobs,
  }
}
