import type { Company, Kind, Person } from '@vitae/contract'
import type { MatchInput } from '@vitae/provider'
import { parse } from 'tldts'
import { foldText } from '../../foundation/fold-text.ts'

/** The records that fit a question, and what of it they were found by. */
export interface Matched {
  lines: Uint8Array[]
  agreed: Partial<MatchInput>
}

interface Question {
  wanted: string
  agreed: Partial<MatchInput>
  fits: (record: Person | Company) => boolean
}

/** What people hold of a record, as `type:value`, beside its own names. */
export function heldNames(record: Person | Company): string[] {
  if ('company_id' in record) {
    const site = record.company_url ? domainOf(record.company_url) : null
    return [...(record.company_name ? [`called:${plain(record.company_name)}`] : []), ...(site ? [`site:${site}`] : [])]
  }
  const { first_name: first, last_name: last, contact_info: contact } = record
  const phones = (contact?.phone_numbers ?? []).map((number) => number.replace(/[^+\d]/g, ''))
  return [
    `called:${plain(`${first ?? ''} ${last ?? ''}`)}`,
    ...(contact?.email_address ? [`email:${contact.email_address.normalize('NFC').trim().toLowerCase()}`] : []),
    ...phones.filter((number) => number.startsWith('+')).map((number) => `phone:${number}`),
  ]
}

/** What to look for, the surest first. */
export function questionsOf(kind: Kind, { email, phone, name, company, domain }: MatchInput): Question[] {
  const anyone = () => true
  if (kind === 'companies')
    return [
      ...(domain ? [{ wanted: `site:${domain}`, agreed: { domain }, fits: anyone }] : []),
      ...(name && !domain ? [{ wanted: `called:${plain(name)}`, agreed: { name }, fits: anyone }] : []),
    ]
  const works = (record: Person | Company) =>
    'experience' in record && record.experience.some(({ company_name: at }) => at !== null && isSame(at, company ?? ''))
  return [
    ...(email ? [{ wanted: `email:${email}`, agreed: { email }, fits: anyone }] : []),
    ...(phone ? [{ wanted: `phone:${phone}`, agreed: { phone }, fits: anyone }] : []),
    ...(name && company ? [{ wanted: `called:${plain(name)}`, agreed: { name, company }, fits: works }] : []),
  ]
}

/** The shorter of two names may leave out what stands at the end of the other: a legal form, a branch. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)]
  return a !== '' && b !== '' && (`${a} `.startsWith(`${b} `) || `${b} `.startsWith(`${a} `))
}

function plain(text: string): string {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')
}

function domainOf(url: string): string | null {
  return parse(url, { allowPrivateDomains: true }).domain
}
