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

/** What a batch is doing. */
export function BatchState({ batch: { status } }: { batch: OperatorBatch }) {
  return <Badge tone={tones[status]}>{status}</Badge>
}

/** How many rows have ended, one way or another. */
export function rowsDone({ total, counts }: OperatorBatch): number {
  return total - counts.waiting
}

/** Whether nothing more will happen to it. */
export function isOver({ status }: OperatorBatch): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'failed'
}
