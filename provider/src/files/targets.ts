import type { Kind } from '@vitae/contract'
import { companyType } from '../mapping/company-type.ts'
import { countryCode } from '../mapping/country.ts'
import { workplaceType } from '../mapping/experience.ts'
import { parseHeadcountRange } from '../mapping/headcount.ts'
import { parseMoney } from '../mapping/money.ts'
import { dateRange, parseFoundedDate, parsePartialDate, personDate, singleDate } from '../mapping/partial-date.ts'
import { canonicalPageUrl, imageUrl } from '../mapping/platform-url.ts'
import { flag, integer, plainText, text, textList } from '../mapping/text.ts'
import { isPeriod } from './functions.ts'

/** A field of the record. All values pass `convert`, so no mapping can break the record's shape. */
export interface Leaf {
  /** Maximum number of values. */
  values: number
  /** Returns null if nothing is known. */
  convert(values: readonly unknown[]): unknown
  /** Its paths in `supplies`, if it fills more than one leaf. */
  supplies?: readonly string[]
}

/** A part of the record with fields of its own. */
export interface Block {
  type: 'object' | 'list'
  fields: Readonly<Record<string, Target>>
  /** For a list that may be one expression: the field that its texts fill. */
  named?: string
}

export type Target = Leaf | Block

const one = (convert: (value: unknown) => unknown, supplies?: readonly string[]): Leaf => ({
  values: 1,
  convert: ([value]) => convert(value),
  ...(supplies ? { supplies } : {}),
})
const object = (fields: Block['fields']): Block => ({ type: 'object', fields })
const list = (fields: Block['fields'], named?: string): Block => ({ type: 'list', fields, ...(named ? { named } : {}) })

const words = one(text)
const prose = one(plainText)
const count = one(integer)
const yes = one(flag)
const image = one(imageUrl)
const page = one(canonicalPageUrl)
const wordList: Leaf = { values: 1, convert: ([value]) => textList(value) }
/** Platform ids are numbers; other text is a vendor's own id, which is dropped. */
const number = one((value) => /^(?!0$)\d{1,19}$/.exec(text(value) ?? '')?.[0] ?? null)
/** Ids of any kind contain no spaces. */
const id = one((value) => (/\s/.test(text(value) ?? '') ? null : text(value)))
const country = one((value) => countryCode(value)?.toLowerCase() ?? null)

/** A period from `start, end`, from one value with both ends, or from one date. */
const range: Leaf = {
  values: 2,
  convert: (values) => {
    const [start, end] = values
    if (values.length > 1) return dateRange(start, end)
    return isPeriod(start) ? dateRange(start.start, start.end) : singleDate(start)
  },
}

const item = {
  ...{ name: words, title: words, description: prose, url: words, image_url: image },
  ...{ company: words, company_id: number, position_held: words, date_range: range },
}

const place = {
  ...{ country, geographic_area: words, city: words, postal_code: words, address_line1: words, is_headquarter: yes },
}

const summary = {
  ...{ company_name: words, public_identifier: words, entity_urn: words, company_url: words, description: prose },
  ...{ logo_url: image, followers_count: count, industries: list({ id, name: words }, 'name') },
  ...{ is_paid: yes, is_showcase: yes },
}

/** One position as the provider lists it; the core groups them. `key` distinguishes companies, besides id and page. */
const position = {
  ...{ company_name: words, company_id: number, company_url: page, company_logo_url: image, company_industry: words },
  company_employee_count_range: one(parseHeadcountRange),
  workplace_type: one(workplaceType),
  ...{ title: words, description: prose, location_name: words, employment_type: words, date_range: range },
  ...{ is_current: yes, is_primary: yes, key: words },
}

const school = {
  ...{ school_name: words, school_id: number, school_url: page, school_logo_url: image },
  ...{ degree: words, field_of_study: words, grade: words, activities: prose, description: prose, date_range: range },
}

const round = {
  funding_type: words,
  money_raised: { values: 2, convert: ([amount, currency]) => parseMoney(amount, currency) } satisfies Leaf,
  announced_on: one(parsePartialDate),
  lead_investors: list({ name: words, logo: image, investor_url: words }, 'name'),
  num_of_other_investors: count,
  round_url: words,
}

/** Every field that a mapping may name. Ids, pages and groups are derived from `identity` and the positions. */
export const targets: Record<Kind, Readonly<Record<string, Target>>> = {
  people: {
    ...{ first_name: words, last_name: words, headline: words, summary: prose, industry: words },
    ...{ profile_photo_url: image, background_photo_url: image, websites: wordList, is_memorialized: yes },
    location: object({ name: words, city: words, country: words, country_code: one(countryCode) }),
    network_info: object({ followers_count: count, connections_count: count }),
    badges: object({ premium: yes, creator: yes, influencer: yes, top_voice: yes, open_to_work: yes, is_hiring: yes }),
    verifications: object({ is_verified: yes, joined_date: words }),
    contact_info: object({
      email_address: words,
      websites: list({ url: words, type: words, label: words }, 'url'),
      ...{ twitter_handles: wordList, phone_numbers: wordList },
      birth_date: one((value) => personDate(parsePartialDate(value))),
      address: words,
    }),
    experience: list(position),
    education: list(school),
    skills: wordList,
    ...{ certifications: list(item), courses: list(item), honors: list(item) },
    languages: list({ ...item, proficiency: words }),
    ...{ organizations: list(item), patents: list(item), projects: list(item), publications: list(item) },
    ...{ test_scores: list(item), volunteer_experiences: list(item) },
  },
  companies: {
    ...{ company_name: words, tagline: words, description: prose },
    company_type: one(companyType, ['type_code', 'type_name']),
    locations: object({ headquarter: object(place), all_locations: list(place) }),
    industries: list({ id, name: words }, 'name'),
    specialities: wordList,
    staff_info: object({ staff_count: count, staff_range: one(parseHeadcountRange) }),
    followers_count: count,
    founded_on: one(parseFoundedDate),
    ...{ company_url: words, logo_url: image, background_photo_url: image, cover_image_url: image },
    call_to_action: object({ text: words, url: words }),
    ...{ phone_number: words, auto_generated: yes, claimable: yes, is_paid: yes, is_showcase: yes },
    funding_data: object({ num_of_funding_rounds: count, last_funding_round: object(round) }),
    showcase_pages: list(summary),
    affiliated_companies: list(summary),
  },
}
