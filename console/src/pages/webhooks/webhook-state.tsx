import type { Webhook } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'

/** The state of a webhook as badges, with the problem of a failing one. */
export function WebhookState({ webhook: { state, problem, retrying, parked } }: { webhook: Webhook }) {
  const word = state === 'paused' ? 'paused' : problem === null ? 'active' : 'failing'
  const tone = { active: 'good', failing: 'warning', paused: 'danger' } as const
  return (
    <>
      <Badge tone={tone[word]}>{word}</Badge> {problem ? <span class="faint">{problem}</span> : null}{' '}
      {retrying > 0 ? <Badge tone="warning">{events(retrying)} failed and will be sent again</Badge> : null}{' '}
      {parked > 0 ? <Badge tone="danger">{events(parked)} given up (parked)</Badge> : null}
    </>
  )
}

/** The service stops counting at 1,000. */
function events(count: number): string {
  return count === 1 ? '1 event' : `${count === 1_000 ? '1,000 or more' : count} events`
}
