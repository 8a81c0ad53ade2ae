import type { Webhook } from '../../api-types.generated.ts'
import { Badge } from '../../elements/badge.tsx'

/** Whether it gets its events, and why not. */
export function WebhookState({ webhook: { state, problem } }: { webhook: Webhook }) {
  const word = state === 'paused' ? 'paused' : problem === null ? 'active' : 'failing'
  const tone = { active: 'good', failing: 'warning', paused: 'danger' } as const
  return (
    <>
      <Badge tone={tone[word]}>{word}</Badge> {problem ? <span class="faint">{problem}</span> : null}
    </>
  )
}
