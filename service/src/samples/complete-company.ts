import type { Company, CompanySummary, Industry } from '@vitae/contract'
import { mediaUrl, pageUrl } from './vocabulary/addresses.ts'
import { type Chance, chanceOf } from './vocabulary/chance.ts'
import { companyCore, type CompanyCore, companyNumber, showcaseOf } from './company-core.ts'
import { companyFunding } from './company-funding.ts'
import { companyLocations, fictionalPhone } from './company-places.ts'
import { trades } from './vocabulary/trades.ts'

export const privatelyHeld = { type_code: 'PRIVATELY_HELD', type_name: 'Privately Held' }
const types = [
  privatelyHeld,
  privatelyHeld,
  { type_code: 'PUBLIC_COMPANY', type_name: 'Public Company' },
  { type_code: 'PARTNERSHIP', type_name: 'Partnership' },
  { type_code: 'NON_PROFIT', type_name: 'Nonprofit' },
]
const school = { type_code: 'EDUCATIONAL', type_name: 'Educational' }

/** The company with every field filled. */
export function completeCompany(core: CompanyCore, slug: string): Company {
  const chance = chanceOf(`company record ${core.id}`)
  const { trade, page } = core
  const showcase = showcaseOf(core)
  const founded = chance.whole(1952, 2018)
  const locations = companyLocations(chance, core)
  return {
    company_id: core.id,
    public_identifier: slug,
    company_name: core.name,
    tagline: chance.pick(trade.taglines),
    description: describe(core, chance, founded, locations.headquarter?.city ?? core.place.country),
    company_type: page === 'school' ? school : chance.pick(types),
    locations,
    industries: industries(chance, core),
    specialities: chance.several(trade.specialities, chance.whole(3, 5)),
    staff_info: staffInfo(chance, core),
    followers_count: chance.whole(120, 250_000),
    founded_on: { year: founded, month: chance.whole(1, 12), day: chance.whole(1, 28) },
    platform_url: pageUrl(page, slug),
    company_url: websiteOf(core),
    ...images(core.id),
    call_to_action: { text: 'Visit website', url: `${websiteOf(core)}/contact` },
    phone_number: fictionalPhone(chance, core.place.code),
    auto_generated: false,
    claimable: false,
    is_paid: chance.odds(40),
    is_showcase: false,
    funding_data: companyFunding(chance, core),
    showcase_pages: showcase ? [summaryOf(showcase)] : [],
    affiliated_companies: [summaryOf(peer(core, chance))],
  }
}

/** Another company of the same trade and place. */
function peer(core: CompanyCore, chance: Chance): CompanyCore {
  return companyCore(companyNumber(core.trade, core.place, chance.whole(0, 9999)))
}

/** The trimmed form in which one company page mentions another. */
export function summaryOf(core: CompanyCore): CompanySummary {
  const chance = chanceOf(`company summary ${core.id}`)
  return {
    company_name: core.name,
    public_identifier: core.slug,
    entity_urn: `urn:li:company:${core.id}`,
    company_url: pageUrl(core.page, core.slug),
    description: `${core.name} ${chance.pick(core.trade.does)}.`,
    logo_url: images(core.id).logo_url,
    followers_count: chance.whole(40, 9000),
    industries: [core.trade.industry],
    is_paid: false,
    is_showcase: core.page === 'showcase',
  }
}

function describe(core: CompanyCore, chance: Chance, founded: number, city: string): string {
  const about = core.page === 'school' ? 'teaches young people and adults side by side' : chance.pick(core.trade.does)
  return `Founded in ${founded} in ${city}, ${core.name} ${about}.\n\n${chance.pick(core.place.mottos)}`
}

/** The primary industry, and for some companies one or two more. */
function industries(chance: Chance, { trade }: CompanyCore): Industry[] {
  const others = trades.map((other) => other.industry).filter((industry) => industry.id !== trade.industry.id)
  return [trade.industry, ...chance.several(others, chance.odds(30) ? chance.whole(1, 2) : 0)]
}

function staffInfo(chance: Chance, core: CompanyCore): NonNullable<Company['staff_info']> {
  const range = core.staffRange ?? { start: 51, end: 200 }
  const start = range.start ?? 1
  return { staff_count: chance.whole(start, range.end ?? start * 3), staff_range: range }
}

function websiteOf(core: CompanyCore): string {
  return `https://www.${core.label}.example`
}

function images(id: string) {
  return {
    logo_url: mediaUrl('companies', id, 'logo.png'),
    background_photo_url: mediaUrl('companies', id, 'background.jpg'),
    cover_image_url: mediaUrl('companies', id, 'cover.jpg'),
  }
}
