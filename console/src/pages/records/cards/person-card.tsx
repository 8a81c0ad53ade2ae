import type { Person, SectionItem } from '@vitae/contract'
import { Badge } from '../../../elements/badge.tsx'
import { formatNumber } from '../../../format.ts'
import { ContactSection } from './contact-section.tsx'
import { Origin } from './origin.tsx'
import { rangeText } from './partial-date.ts'
import { CardName, CardSection, Chips, joined, Monogram, WebLink } from './record-parts.tsx'
import { Experience } from './timeline.tsx'

const sections = [
  ['Certifications', 'certifications'],
  ['Languages', 'languages'],
  ['Honors', 'honors'],
  ['Publications', 'publications'],
  ['Patents', 'patents'],
  ['Projects', 'projects'],
  ['Courses', 'courses'],
  ['Organizations', 'organizations'],
  ['Volunteering', 'volunteer_experiences'],
  ['Test scores', 'test_scores'],
] as const

/** Sections with one-day events. A missing end does not mean that they continue. */
const happenOnce = new Set<string>(['certifications', 'honors', 'publications', 'patents', 'test_scores'])

/** A summary of a person. `withName` is false if the page title already shows the name. */
export function PersonCard({ person, withName = true }: { person: Person; withName?: boolean }) {
  return (
    <article class="card">
      <PersonHead person={person} withName={withName} />
      {person.summary ? (
        <p class="prose" dir="auto">
          {person.summary} <Origin unit="summary" />
        </p>
      ) : null}
      <CardSection title="Experience" unit="experience" count={person.experience.length}>
        <Experience groups={person.experience} />
      </CardSection>
      <CardSection title="Education" unit="education" count={person.education.length}>
        <ul class="lines">
          {person.education.map((school, index) => (
            <li key={index}>
              <strong dir="auto">{school.school_name ?? 'Unknown school'}</strong>
              <span dir="auto">{joined([school.degree, school.field_of_study])}</span>
              <span class="faint">{rangeText(school.date_range)}</span>
            </li>
          ))}
        </ul>
      </CardSection>
      <CardSection title="Skills" unit="skills" count={person.skills.length}>
        <Chips words={person.skills} />
      </CardSection>
      {sections.map(([title, field]) => (
        <CardSection key={field} title={title} unit={field} count={person[field].length}>
          <Items items={person[field]} once={happenOnce.has(field)} />
        </CardSection>
      ))}
      <ContactSection person={person} />
    </article>
  )
}

function PersonHead({ person, withName }: { person: Person; withName: boolean }) {
  const name = [person.first_name, person.last_name].filter(Boolean).join(' ')
  const { location, network_info: network } = person
  const place = location.name ?? joined([location.city, location.country])
  const badges = Object.entries(person.badges).flatMap(([badge, on]) => (on ? [badge.replaceAll('_', ' ')] : []))
  return (
    <header class="card-head">
      <Monogram name={name} />
      <div>
        <CardName name={name || 'No name'} isShown={withName} />
        {person.headline ? (
          <p dir="auto">
            {person.headline} <Origin unit="headline" />
          </p>
        ) : null}
        {place ? (
          <p class="faint" dir="auto">
            {place} <Origin unit="location" />
          </p>
        ) : null}
        {person.industry ? (
          <p class="faint" dir="auto">
            {person.industry} <Origin unit="industry" />
          </p>
        ) : null}
        {network ? (
          <p class="faint">
            {formatNumber(network.followers_count)} followers, {formatNumber(network.connections_count)} connections{' '}
            <Origin unit="network_info" />
          </p>
        ) : null}
        {person.profile_url ? (
          <p>
            <WebLink url={person.profile_url} /> <Origin unit="profile_url" />
          </p>
        ) : null}
        <p class="badges">
          {person.is_memorialized ? <Badge tone="warning">memorialized</Badge> : null}
          {person.verifications?.is_verified ? (
            <>
              <Badge tone="good">verified</Badge> <Origin unit="verifications" />
            </>
          ) : null}
          {badges.map((badge) => (
            <Badge key={badge}>{badge}</Badge>
          ))}
          {badges.length > 0 ? <Origin unit="badges" /> : null}
        </p>
      </div>
    </header>
  )
}

type Item = SectionItem & { proficiency?: string | null }

function Items({ items, once }: { items: readonly Item[]; once: boolean }) {
  return (
    <ul class="lines">
      {items.map((item, index) => (
        <li key={index}>
          <strong dir="auto">{item.title ?? item.name ?? item.company ?? '–'}</strong>
          <span dir="auto">
            {joined([item.title ? item.name : null, item.proficiency, item.position_held, item.company])}
          </span>
          <span class="faint">{rangeText(item.date_range, { once })}</span>
        </li>
      ))}
    </ul>
  )
}
