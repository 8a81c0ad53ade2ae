import { Violation, type Law } from './law.ts'

/** One call from its caller's view. */
export interface Call {
  number: number
  /** The node that received it. */
  node: number
  /** The node has received all messages of the others. */
  isUpToDate: boolean
  /** How far the node's clock is ahead of the world's. */
  skewMs: number
  /** How far the clock of the node's machine is ahead. */
  machineAheadMs: number
  environment: string
  key: SimulatedKey
  slug: string
  /**
   * How the call identifies the person. An expected name of a stranger may find nobody; a test key returns a sample.
   */
  by: 'slug' | 'address' | 'stranger' | 'sample'
  bypass: boolean
  /** The call requests contact details. */
  contact: boolean
  /** Its Idempotency-Key. */
  idempotencyKey: string | null
  startedAt: number
  answer: Answer | null
  /** The process died before the answer arrived. */
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
  /** The first key of its rotation chain, which shares its ceilings. */
  chain: string
  ceiling: number | null
  dailyCeiling: number | null
  /** When its revocation was reported as done. */
  revokedAt: number | null
}

/** Throws a violation unless the law holds for a call. */
export function law(name: Law, holds: boolean, { number, slug, key: { id } }: Call, what: string): void {
  if (!holds) throw new Violation(name, `call ${number} for ${slug} with key ${id}: ${what}`)
}

/** The project of an environment. */
export function projectOf(environment: string): string {
  return environment.split('/')[0] ?? ''
}

/** Whether an answer is marked as thin. */
export function isThin({ headers }: Answer): boolean {
  return headers.get('x-record-thin') === 'true'
}

/** The charge that an answer reports. */
export function chargedOf({ headers }: Answer): number {
  return Number(headers.get('x-credits-charged') ?? 0)
}

/** The outcome of a call: `ok`, or the code of its failure. */
export function codeOf({ status, body }: Answer): string {
  if (status === 200) return 'ok'
  return body.startsWith('{') ? (JSON.parse(body) as { code: string }).code : body
}
