import type { Person } from '@vitae/contract'
import { formatValue } from '../../../format.ts'
import { Origin } from './origin.tsx'
import { dateText } from './partial-date.ts'
import { CardSection, WebLink } from './record-parts.tsx'

/** The contact details and websites of a person, if the record has any. */
export function ContactSection({ person: { contact_info: contact, websites } }: { person: Person }) {
  const own = (contact?.websites ?? []).flatMap(({ url }) => url ?? [])
  const links = [
    ...websites.map((url) => ({ url, unit: 'websites' })),
    ...own.filter((url) => !websites.includes(url)).map((url) => ({ url, unit: 'contact_info.websites' })),
  ]
  const facts: [string, string, string][] = [
    ['Email', 'email_address', contact?.email_address ?? ''],
    ['Phone', 'phone_numbers', (contact?.phone_numbers ?? []).map(formatValue).join(', ')],
    ['Twitter', 'twitter_handles', (contact?.twitter_handles ?? []).join(', ')],
    ['Address', 'address', contact?.address ?? ''],
    ['Born', 'birth_date', dateText(contact?.birth_date ?? null)],
  ]
  const known = facts.filter(([, , text]) => text !== '')
  return (
    <CardSection title="Contact" count={known.length + links.length}>
      <dl class="facts">
        {known.map(([name, field, text]) => (
          <>
            <dt>{name}</dt>
            <dd dir="auto">
              {text} <Origin unit={`contact_info.${field}`} />
            </dd>
          </>
        ))}
        {links.length > 0 ? (
          <>
            <dt>Websites</dt>
            <dd>
              {links.map(({ url, unit }) => (
                <div key={url}>
                  <WebLink url={url} /> <Origin unit={unit} />
                </div>
              ))}
            </dd>
          </>
        ) : null}
      </dl>
    </CardSection>
  )
}
