import type { Person } from '@vitae/contract'
import { formatValue } from '../../../format.ts'
import { dateText } from './partial-date.ts'
import { CardSection, WebLink } from './record-parts.tsx'

/** How a person can be reached, where the record holds it. */
export function ContactSection({ person: { contact_info: contact, websites } }: { person: Person }) {
  const links = [...new Set([...websites, ...(contact?.websites ?? []).flatMap(({ url }) => url ?? [])])]
  const facts: [string, string][] = [
    ['Email', contact?.email_address ?? ''],
    ['Phone', (contact?.phone_numbers ?? []).map(formatValue).join(', ')],
    ['Twitter', (contact?.twitter_handles ?? []).join(', ')],
    ['Address', contact?.address ?? ''],
    ['Born', dateText(contact?.birth_date ?? null)],
  ]
  const known = facts.filter(([, text]) => text !== '')
  return (
    <CardSection title="Contact" count={known.length + links.length}>
      <dl class="facts">
        {known.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd dir="auto">{text}</dd>
          </>
        ))}
        {links.length > 0 ? (
          <>
            <dt>Websites</dt>
            <dd>
              {links.map((url) => (
                <div key={url}>
                  <WebLink url={url} />
                </div>
              ))}
            </dd>
          </>
        ) : null}
      </dl>
    </CardSection>
  )
}
