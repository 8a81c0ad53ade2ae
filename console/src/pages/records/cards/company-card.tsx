import type { Company, CompanyLocation } from '@vitae/contract'
import type { ComponentChildren } from 'preact'
import { Badge } from '../../../elements/badge.tsx'
import { formatNumber } from '../../../format.ts'
import { Funding } from './funding.tsx'
import { Origin } from './origin.tsx'
import { dateText } from './partial-date.ts'
import { CardName, CardSection, Chips, joined, Monogram, WebLink } from './record-parts.tsx'

/** A summary of a company. `withName` is false if the page title already shows the name. */
export function CompanyCard({ company, withName = true }: { company: Company; withName?: boolean }) {
  const places = company.locations?.all_locations ?? []
  const related = [...(company.showcase_pages ?? []), ...(company.affiliated_companies ?? [])]
  return (
    <article class="card">
      <CompanyHead company={company} withName={withName} />
      {company.description ? (
        <p class="prose" dir="auto">
          {company.description} <Origin unit="description" />
        </p>
      ) : null}
      <CompanyFacts company={company} />
      <CardSection title="Locations" unit="locations" count={places.length}>
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
      <CardSection title="Specialities" unit="specialities" count={company.specialities?.length ?? 0}>
        <Chips words={company.specialities ?? []} />
      </CardSection>
      <CardSection
        title="Related pages"
        unit={company.showcase_pages?.length ? 'showcase_pages' : 'affiliated_companies'}
        count={related.length}
      >
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
        {company.tagline ? (
          <p dir="auto">
            {company.tagline} <Origin unit="tagline" />
          </p>
        ) : null}
        {company.industries && company.industries.length > 0 ? (
          <p class="faint" dir="auto">
            {joined(company.industries.map((industry) => industry.name))} <Origin unit="industries" />
          </p>
        ) : null}
        <p class="badges">
          {company.is_showcase ? (
            <>
              <Badge>showcase</Badge> <Origin unit="is_showcase" />
            </>
          ) : null}
          {company.auto_generated ? (
            <>
              <Badge tone="warning">auto-generated</Badge> <Origin unit="auto_generated" />
            </>
          ) : null}
          {company.claimable ? (
            <>
              <Badge>claimable</Badge> <Origin unit="claimable" />
            </>
          ) : null}
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
        <Fact unit="staff_info.staff_count">{count === null ? null : formatNumber(count)}</Fact>
        {bracket ? (
          <div>
            bracket {bracket} <Origin unit="staff_info.staff_range" />
          </div>
        ) : null}
      </dd>
      <dt>Followers</dt>
      <dd>
        <Fact unit="followers_count">
          {company.followers_count === null ? null : formatNumber(company.followers_count)}
        </Fact>
      </dd>
      <dt>Founded</dt>
      <dd>
        <Fact unit="founded_on">{dateText(company.founded_on) || null}</Fact>
      </dd>
      <dt>Type</dt>
      <dd dir="auto">
        <Fact unit="company_type">{company.company_type?.type_name ?? null}</Fact>
      </dd>
      <dt>Website</dt>
      <dd>
        <Fact unit="company_url">{company.company_url ? <WebLink url={company.company_url} /> : null}</Fact>
      </dd>
      <dt>Phone</dt>
      <dd dir="auto">
        <Fact unit="phone_number">{company.phone_number}</Fact>
      </dd>
    </dl>
  )
}

/** A value with its origin, or a dash without a value. */
function Fact({ unit, children }: { unit: string; children: ComponentChildren }) {
  if (children === null) return <>–</>
  return (
    <>
      {children} <Origin unit={unit} />
    </>
  )
}

function addressText(place: CompanyLocation): string {
  return joined([place.address_line1, place.postal_code, place.geographic_area, place.country?.toUpperCase()])
}
