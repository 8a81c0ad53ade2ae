import type { OperatorBatch } from '@vitae/contract/admin'
import { Badge, type Tone } from '../../elements/badge.tsx'

const tones: Record<OperatorBatch['status'], Tone> = {
  queued: 'neutral',
  running: 'accent',
  paused: 'warning',
  completed: 'good',
  cancelled: 'neutral',
  failed: 'danger',
}

/** The status of a batch as a badge. */
export function BatchState({ batch: { status } }: { batch: OperatorBatch }) {
  return <Badge tone={tones[status]}>{status}</Badge>
}

/** The number of finished rows, with any result. */
export function rowsDone({ total, counts }: OperatorBatch): number {
  return total - counts.waiting
}

/** Returns true if the batch is in a final state. */
export function isOver({ status }: OperatorBatch): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'failed'
}
