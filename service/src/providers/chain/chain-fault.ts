import { UpstreamFault, type FaultKind } from './provider-fault.ts'
import type { RawAnswer } from '../provider.ts'

/** One provider's part in an ask, for the archive and the call log. */
export interface Attempt {
  provider: string
  outcome: 'found' | 'not_found' | FaultKind
  fault: UpstreamFault | null
  /** The answer that was checked; null where none came. */
  answer: RawAnswer | null
  /** Everything that came in, in order: answers that were tried again, polls, and `answer` itself. */
  answers: RawAnswer[]
  cost: number | null
  durationMs: number
}

/** No provider of the chain gave an answer that counts. Its kind is that of the last one's fault. */
export class ChainFault extends UpstreamFault {
  readonly attempts: readonly Attempt[]

  constructor(attempts: readonly Attempt[]) {
    const faults = attempts.flatMap((attempt) => attempt.fault ?? [])
    const last = faults.at(-1)
    const waits = faults.flatMap((fault) => fault.retryAfterSeconds ?? [])
    super(last?.kind ?? 'unavailable', faults.map((fault) => fault.message).join('; ') || 'no provider is configured', {
      ...(last?.answer ? { answer: last.answer } : {}),
      ...(waits.length > 0 ? { retryAfterSeconds: Math.min(...waits) } : {}),
      cause: last,
    })
    this.name = 'ChainFault'
    this.attempts = attempts
  }
}
