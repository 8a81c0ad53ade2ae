import type { ContactInfo } from '@vitae/contract'
import { knownContact, parsePartialDate, personDate, rows, text, texts } from '@vitae/provider'

type Raw = Record<string, unknown>

/** Only with a street: a town alone is in `location` already. */
function address(raw: Raw): string | null {
  if (text(raw.location_street_address) === null) return null
  const street = [raw.location_street_address, raw.location_address_line_2]
  const place = [raw.location_locality, raw.location_region, raw.location_postal_code, raw.location_country]
  // A city may have the name of its region, so repetitions stay.
  return [...street, ...place].flatMap((line) => text(line) ?? []).join(', ')
}

/** Contact details. On small plans the provider sends true and false in place of values; they count as unknown. */
export function contact(raw: Raw): ContactInfo | null {
  const emails = texts([
    raw.recommended_personal_email,
    ...texts(raw.personal_emails),
    raw.work_email,
    ...rows(raw.emails).map((email) => email.address),
  ])
  return knownContact({
    email_address: emails[0] ?? null,
    twitter_handles: texts([raw.twitter_username]),
    phone_numbers: texts([raw.mobile_phone, ...texts(raw.phone_numbers), ...rows(raw.phones).map((one) => one.number)]),
    birth_date: personDate(parsePartialDate(raw.birth_date) ?? parsePartialDate(raw.birth_year)),
    address: address(raw),
  })
}
