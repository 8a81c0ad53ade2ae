import { creditsIn, parseObject, throwFaultOf, throwIfWebPage } from '../shared/check-answer.ts'
import type { RawAnswer, Verdict } from '../provider.ts'

const name = 'peopledatalabs'

/** Checks an answer. "No match" is a 404, as the status or in the envelope's own `status`. Throws `UpstreamFault`. */
export function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  const cost = creditsIn(answer, 'x-call-credits-spent')
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return { outcome: 'not_found', answer, cost }
  }
  const { status } = parseObject(name, answer.body, answer)
  if (typeof status === 'number') throwFaultOf(name, status, answer)
  return { outcome: status === 404 ? 'not_found' : 'found', answer, cost }
}
