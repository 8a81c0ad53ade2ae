import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { OperatorBatch } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useWish } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { isOver, rowsDone } from './batch-state.tsx'
import { confirmDone } from '../../elements/toast.tsx'

interface Props {
  batch: OperatorBatch
  onChange: () => void
}

const isResumed = { text: 'The batch continues.' }

/** The buttons of a batch: download its results, resume it, cancel it. */
export function BatchActions({ batch, onChange }: Props) {
  const mayDownload = useCan('downloadBatch')
  const mayChange = useCan('cancelBatch') && !isOver(batch)
  const [open, setOpen] = useState<'resume' | 'cancel' | null>(null)
  const action = useAction()
  const { id } = batch
  const needsLimit = batch.pause_reason === 'max_credits_reached'
  const resume = () =>
    needsLimit
      ? setOpen('resume')
      : void action.run(async () => (await api.post('/batches/:id/resume', { id }), onChange(), confirmDone(isResumed)))
  useWish({ resume })
  const download = (format: 'csv' | 'ndjson') => (
    <Button
      label={`Download as ${format.toUpperCase()}`}
      busy={action.busy}
      disabled={rowsDone(batch) === 0}
      onClick={() =>
        void action.run(() => api.download('/batches/:id/results', `${fileName(batch)}.${format}`, { id, format }))
      }
    >
      {format.toUpperCase()}
    </Button>
  )
  return (
    <>
      {mayDownload ? download('csv') : null}
      {mayDownload ? download('ndjson') : null}
      {mayChange && batch.status === 'paused' ? (
        <Button kind="primary" busy={action.busy} onClick={resume}>
          Resume
        </Button>
      ) : null}
      {mayChange ? (
        <Button kind="danger" onClick={() => setOpen('cancel')}>
          Cancel batch
        </Button>
      ) : null}
      <ErrorNotice error={action.error} />
      {open === 'resume' ? <ResumeDialog {...{ batch, onChange }} onClose={() => setOpen(null)} /> : null}
      {open === 'cancel' ? (
        <ConfirmDialog
          title="Cancel the batch"
          verb="Cancel batch"
          word={null}
          onConfirm={async () => {
            await api.post('/batches/:id/cancel', { id })
            onChange()
          }}
          done={{ text: 'The batch is cancelled. Its results are kept.' }}
          onClose={() => setOpen(null)}
        >
          <p>Waiting rows are not looked up. Results found so far are kept and charged.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

/** Name of a batch's download, derived from the submitted file, without extension. */
export function fileName({ id, name }: OperatorBatch): string {
  return `${(name ?? id).replace(/\.(csv|tsv|txt)$/i, '').replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}-results`
}

function ResumeDialog({ batch, onChange, onClose }: Props & { onClose: () => void }) {
  const [most, setMost] = useState(String((batch.max_credits ?? 0) + batch.counts.waiting))
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { max_credits: most === '' ? null : Number(most) }
    const done = await action.run(() => api.post('/batches/:id/resume', { id: batch.id, ...body }))
    if (!done) return
    onChange()
    onClose()
    confirmDone(isResumed)
  }
  return (
    <Dialog title="Resume with a higher limit" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Credits at most"
          type="number"
          min={batch.credits_spent}
          value={most}
          onInput={setMost}
          hint={`${batch.credits_spent} are spent. Left empty, only the credits of the key are a limit.`}
          focus
        />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Resume
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
