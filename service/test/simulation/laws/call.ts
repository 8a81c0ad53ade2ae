import { Violation, type Law } from './law.ts'

/** One call as its caller knows it. */
export interface Call {
  number: number
  /** Which of the nodes it was sent to. */
  node: number
  /** It has heard everything that the others have told. */
  isUpToDate: boolean
  environment: string
  key: SimulatedKey
  slug: string
  /** How it asks for them; with the name of a stranger it may get nobody, with a test key a sample. */
  by: 'slug' | 'address' | 'stranger' | 'sample'
  bypass: boolean
  /** It asks for contact details. */
  contact: boolean
  /** Its Idempotency-Key. */
  idempotencyKey: string | null
  startedAt: number
  answer: Answer | null
  /** The process died before the answer came. */
  cutOff: boolean
}

export interface Answer {
  status: number
  headers: ReadonlyMap<string, string>
  body: string
  at: number
}

export interface SimulatedKey {
  id: string
  text: string
  environment: string
  /** The first key of its rotations, which share its ceilings. */
  chain: string
  ceiling: number | null
  dailyCeiling: number | null
  /** When its revocation was reported as done. */
  revokedAt: number | null
}

/** Breaks a law where it does not hold for a call. */
export function law(name: Law, holds: boolean, { number, slug, key: { id } }: Call, what: string): void {
  if (!holds) throw new Violation(name, `call ${number} for ${slug} with key ${id}: ${what}`)
}

/** The project of an environment. */
export function projectOf(environment: string): string {
  return environment.split('/')[0] ?? ''
}

/** Whether an answer says that it is little more than an identity. */
export function isThin({ headers }: Answer): boolean {
  return headers.get('x-record-thin') === 'true'
}

/** What an answer says that it cost. */
export function chargedOf({ headers }: Answer): number {
  return Number(headers.get('x-credits-charged') ?? 0)
}

/** How a call ended: `ok`, or the code of its failure. */
export function codeOf({ status, body }: Answer): string {
  if (status === 200) return 'ok'
  return body.startsWith('{') ? (JSON.parse(body) as { code: string }).code : body
}
