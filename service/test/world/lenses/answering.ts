import type { WireRequest } from '@vitae/provider'
import type { Company, Day, Person } from '../truth/person.ts'
import type { Pages, Seen } from './find-page.ts'
import type { LensName } from './lens.ts'
import { viewCompany, viewPerson, type CompanyView, type PersonView, type Seeing, type ShownDate } from './view.ts'

export interface Reply {
  status: number
  body: unknown
  /** The shown record, or null. */
  shown: PersonView | CompanyView | null
}

/** One request to a lens. */
export interface Question {
  request: WireRequest
  lens: LensName
  seeing: Seeing
  pages: Pages
  day: Day
}

/** A vendor's API: its routes and payload format. */
export type Wire = (question: Question) => Reply

export function showPerson({ seeing, lens }: Question, { who, day }: Seen<Person>): PersonView {
  return viewPerson(seeing, lens, who, day)
}

export function showCompany({ seeing, lens }: Question, { who, day }: Seen<Company>): CompanyView {
  return viewCompany(seeing, lens, who, day)
}

/** The last path segment of a page URL. Opaque ids keep their case. */
export function nameIn(url: string | null): string {
  const name = decodeURIComponent(/\/(?:in|company|school|showcase)\/([^/?#]+)/.exec(url ?? '')?.[1] ?? '')
  return name.startsWith('ACo') ? name : name.toLowerCase()
}

export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Sep 2021`, or only the year. */
export function inWords({ year, month }: ShownDate): string {
  return month === null ? String(year) : `${monthNames[month - 1]} ${year}`
}

/** Folds case and accents, as vendor searches do. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
