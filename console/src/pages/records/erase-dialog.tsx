import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import type { RecordView } from './record-view.ts'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { Notice } from '../../elements/notice.tsx'
import { Loaded } from '../../elements/states.tsx'
import { formatMs, formatNumber } from '../../format.ts'
import { goTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'

type Erased = AdminAnswer<'erasePerson'>
type ErasurePlan = AdminAnswer<'planPersonErasure'>

interface Props {
  view: RecordView
  reference: string
  onClose: () => void
}

/** Erases a record permanently: shows the plan, asks for a typed confirmation, then shows the result. */
export function EraseDialog({ view, reference: ref, onClose }: Props) {
  const [result, setResult] = useState<Erased | null>(null)
  const { kind } = view
  const plan = useQuery(`erasure ${kind} ${ref}`, (signal) => api.get(`/records/${kind}/:ref/erasure`, { ref }, signal))
  if (result) return <ErasedDialog result={result} />
  return (
    <ConfirmDialog
      title={`Erase ${view.name ?? view.key}`}
      verb="Erase for good"
      word={confirmationWord(view)}
      askReason="required"
      reasonHint="Goes to the audit log, which outlives the erasure: write a case number, and never the name of the person."
      onConfirm={async (reason) => {
        setResult(await api.post(`/records/${kind}/:ref/erase`, { ref, reason }))
      }}
      onDone={() => {}}
      onClose={onClose}
    >
      <p>
        The record, its history and its raw payloads are erased, here and inside other records. Only keyed hashes stay,
        so that it is never fetched again. This cannot be undone.
      </p>
      <Loaded query={plan}>{(found) => <PlanView plan={found} />}</Loaded>
    </ConfirmDialog>
  )
}

/** The text to type: the slug, which users recognise, or the key without a slug. */
function confirmationWord(view: RecordView): string {
  return view.record?.public_identifier ?? view.key
}

function PlanView({ plan }: { plan: ErasurePlan }) {
  const sum = (count: 'versions' | 'fetches' | 'payloads') =>
    plan.entities.reduce((total, one) => total + one[count], 0)
  const { calls, replays, mentions } = plan
  const counts = { versions: sum('versions'), fetches: sum('fetches'), payloads: sum('payloads') }
  return (
    <>
      {plan.entities.length > 1 ? (
        <Notice tone="warning">
          These records hold or held this name, and all are erased:{' '}
          {plan.entities.map(({ name, key }) => name ?? key).join(', ')}.
        </Notice>
      ) : null}
      <Figures figures={{ ...counts, calls, replays, mentions_in_others: mentions }} />
    </>
  )
}

function Figures({ figures }: { figures: Record<string, number> }) {
  return (
    <dl class="facts">
      {Object.entries(figures).map(([name, count]) => (
        <>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>{formatNumber(count)}</dd>
        </>
      ))}
    </dl>
  )
}

function ErasedDialog({ result }: { result: Erased }) {
  const leave = () => goTo('#/records')
  return (
    <Dialog title="Erased" onClose={leave}>
      <Notice tone="good">
        Done in {formatMs(result.duration_ms)}. {formatNumber(result.suppressed_hashes)} hashes keep it out from now on.
      </Notice>
      <p>
        {result.bytes_gone_at
          ? 'No file contains it any more.'
          : `The database can no longer read it. Its bytes are gone from the files by ${result.bytes_gone_by}.`}
      </p>
      <Figures figures={result.erased} />
      <div class="dialog-actions">
        <Button kind="primary" onClick={leave}>
          To the records
        </Button>
      </div>
    </Dialog>
  )
}
