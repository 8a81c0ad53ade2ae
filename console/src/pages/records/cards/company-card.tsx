import type { Company, CompanyLocation } from '@vitae/contract'
import { Badge } from '../../../elements/badge.tsx'
import { formatNumber } from '../../../format.ts'
import { Funding } from './funding.tsx'
import { dateText } from './partial-date.ts'
import { CardName, CardSection, Chips, joined, Monogram, WebLink } from './record-parts.tsx'

/** A company at a glance; without the name where it is the title above. */
export function CompanyCard({ company, withName = true }: { company: Company; withName?: boolean }) {
  const places = company.locations?.all_locations ?? []
  const related = [...(company.showcase_pages ?? []), ...(company.affiliated_companies ?? [])]
  return (
    <article class="card">
      <CompanyHead company={company} withName={withName} />
      {company.description ? (
        <p class="prose" dir="auto">
          {company.description}
        </p>
      ) : null}
      <CompanyFacts company={company} />
      <CardSection title="Locations" count={places.length}>
        <ul class="lines">
          {places.map((place, index) => (
            <li key={index}>
              <strong dir="auto">{place.city ?? place.geographic_area ?? '–'}</strong>
              <span dir="auto">{addressText(place)}</span>
              {place.is_headquarter ? <Badge tone="accent">headquarters</Badge> : null}
            </li>
          ))}
        </ul>
      </CardSection>
      {company.funding_data ? <Funding funding={company.funding_data} /> : null}
      <CardSection title="Specialities" count={company.specialities?.length ?? 0}>
        <Chips words={company.specialities ?? []} />
      </CardSection>
      <CardSection title="Related pages" count={related.length}>
        <ul class="lines">
          {related.map((page, index) => (
            <li key={index}>
              <strong dir="auto">{page.company_name ?? '–'}</strong>
              <span class="faint">{page.is_showcase ? 'showcase' : 'affiliated'}</span>
            </li>
          ))}
        </ul>
      </CardSection>
    </article>
  )
}

function CompanyHead({ company, withName }: { company: Company; withName: boolean }) {
  const name = company.company_name ?? 'No name'
  return (
    <header class="card-head">
      <Monogram name={name} square />
      <div>
        <CardName name={name} isShown={withName} />
        {company.tagline ? <p dir="auto">{company.tagline}</p> : null}
        <p class="faint" dir="auto">
          {joined(company.industries?.map((industry) => industry.name) ?? [])}
        </p>
        <p class="badges">
          {company.is_showcase ? <Badge>showcase</Badge> : null}
          {company.auto_generated ? <Badge tone="warning">auto-generated</Badge> : null}
          {company.claimable ? <Badge>claimable</Badge> : null}
        </p>
      </div>
    </header>
  )
}

function CompanyFacts({ company }: { company: Company }) {
  const range = company.staff_info?.staff_range
  const bracket = range && range.start !== null ? `${formatNumber(range.start)}–${range.end ?? 'more'}` : null
  const count = company.staff_info?.staff_count ?? null
  return (
    <dl class="facts">
      <dt>Headcount</dt>
      <dd>
        {[count === null ? null : formatNumber(count), bracket ? `bracket ${bracket}` : null]
          .filter(Boolean)
          .join(', ') || '–'}
      </dd>
      <dt>Followers</dt>
      <dd>{formatNumber(company.followers_count)}</dd>
      <dt>Founded</dt>
      <dd>{dateText(company.founded_on) || '–'}</dd>
      <dt>Type</dt>
      <dd dir="auto">{company.company_type?.type_name ?? '–'}</dd>
      <dt>Website</dt>
      <dd>{company.company_url ? <WebLink url={company.company_url} /> : '–'}</dd>
      <dt>Phone</dt>
      <dd dir="auto">{company.phone_number ?? '–'}</dd>
    </dl>
  )
}

function addressText(place: CompanyLocation): string {
  return joined([place.address_line1, place.postal_code, place.geographic_area, place.country?.toUpperCase()])
}
