import type { MatchSignal } from '../identifier.ts'
import type { MatchFacts, NotLive, ProviderAsk, RawAnswer, Verdict } from '../provider.ts'
import { BrokenAgreement } from './broken-agreement.ts'
import { isAnswer, isObject, isTime } from './sound-values.ts'

const notLives: readonly unknown[] = ['store', 'stale_fallback'] satisfies NotLive[]

const signals: Record<MatchSignal, true> = {
  email: true,
  phone: true,
  name: true,
  first_name: true,
  last_name: true,
  company: true,
  company_domain: true,
  company_id: true,
  location: true,
  domain: true,
  country: true,
}

interface Heard {
  /** The responses that `send` returned. */
  answers: ReadonlySet<RawAnswer>
  /** The service's current time; null if unknown. */
  now: number | null
}

/** A copy of the result of `ask`. Throws `BrokenAgreement` unless it is a valid verdict. */
export function checkVerdict(
  provider: string,
  { identifier: { match: isMatch } }: ProviderAsk,
  returned: unknown,
  heard: Heard,
): Verdict {
  if (!isObject(returned)) throw new BrokenAgreement(provider, 'ask returned no verdict')
  const { outcome, answer: given, cost = null, sourceUpdatedAt = null, fetchedAt, notLive, isAmbiguous } = returned
  const answer = isAnswer(given) ? ownAnswer(given, heard) : null
  const refuse = (what: string) => new BrokenAgreement(provider, `ask returned ${what}`, { answer })
  if (!answer) throw refuse('an answer without status, headers, body or time')
  if (outcome !== 'found' && outcome !== 'not_found') throw refuse('an outcome that is neither found nor not_found')
  if (cost !== null && !isCost(cost)) throw refuse('a cost that is not a number of 0 or more')
  if (sourceUpdatedAt !== null && !isTime(sourceUpdatedAt)) throw refuse('a sourceUpdatedAt that is not a time')
  if (fetchedAt !== undefined && !isTime(fetchedAt)) throw refuse('a fetchedAt that is not a time')
  if (notLive !== undefined && !isNotLive(notLive)) throw refuse('an unknown notLive')
  if (isAmbiguous !== undefined && (isAmbiguous !== true || outcome === 'found'))
    throw refuse('isAmbiguous beside a record, or not as true')
  const match = isMatch && outcome === 'found' ? matchIn(returned.match) : null
  if (isMatch && outcome === 'found' && !match)
    throw refuse('no match facts: a likelihood from 0 to 1, and the signals that agreed')
  // The type makes the compiler require every part of a verdict here.
  const parts: Record<keyof Verdict, unknown> = {
    ...{ outcome, answer, cost, sourceUpdatedAt, fetchedAt, notLive, isAmbiguous },
    match: match ?? undefined,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as unknown as Verdict
}

/**
 * Keeps the object that `send` returned, because the archive identifies it by reference. Any other answer counts as
 * received now.
 */
function ownAnswer(answer: RawAnswer, { answers, now }: Heard): RawAnswer {
  if (answers.has(answer)) return answer
  const { status, headers, body, receivedAt } = answer
  const texts = Object.entries(headers).filter(([, value]) => typeof value === 'string')
  return { status, headers: Object.fromEntries(texts), body, receivedAt: now ?? receivedAt }
}

function isCost(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isNotLive(value: unknown): value is NotLive {
  return notLives.includes(value)
}

function matchIn(value: unknown): MatchFacts | null {
  if (!isObject(value) || !Array.isArray(value.matchedOn)) return null
  const { likelihood, matchedOn } = value
  const isLikelihood = typeof likelihood === 'number' && likelihood >= 0 && likelihood <= 1
  return isLikelihood && matchedOn.every(isSignal) ? { likelihood, matchedOn: [...matchedOn] } : null
}

function isSignal(value: unknown): value is MatchSignal {
  return typeof value === 'string' && Object.hasOwn(signals, value)
}
