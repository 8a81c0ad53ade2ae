import { useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { TextField } from '../../elements/field.tsx'
import { MeterBar } from '../../elements/charts/meter-bar.tsx'
import { ErrorNotice, Notice } from '../../elements/notice.tsx'
import { formatNumber } from '../../format.ts'
import { useAction } from '../../use-action.ts'

type ReprojectStep = AdminAnswer<'reprojectRecords'>

const nothing = { done: 0, changed: 0, failed: 0, total: 0, finished: false, filled: {} as Record<string, number> }

/** Rebuilds records from the stored raw payloads, step by step, without any provider call. */
export function Reproject({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState('')
  const [progress, setProgress] = useState(nothing)
  const action = useAction()
  const stopped = useRef(false)
  const close = () => {
    stopped.current = true
    onClose()
  }
  const run = async () => {
    let sum = nothing
    for (let cursor: string | null = null; !stopped.current;) {
      const body = { ...(provider.trim() ? { provider: provider.trim() } : {}), ...(cursor ? { cursor } : {}) }
      const step: ReprojectStep = await api.post('/records/reproject', body)
      sum = add(sum, step)
      setProgress(sum)
      cursor = step.next_cursor
      if (cursor === null) return
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(run)
  }
  return (
    <Dialog title="Reproject" onClose={close}>
      <form onSubmit={submit}>
        <p>
          Rebuilds records from the raw payloads with the present mappings. No provider is asked, and nothing is
          charged.
        </p>
        <TextField label="Provider (optional)" value={provider} onInput={setProvider} placeholder="all" />
        {progress.done > 0 ? (
          <MeterBar used={progress.done} limit={Math.max(progress.done, progress.total)} label="Records done" work />
        ) : null}
        {progress.finished ? (
          <Notice tone={progress.failed > 0 ? 'warning' : 'good'}>
            {formatNumber(progress.done)} done, {formatNumber(progress.changed)} changed,{' '}
            {formatNumber(progress.failed)} failed.
          </Notice>
        ) : null}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={close}>{progress.finished ? 'Close' : 'Cancel'}</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Reproject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function add(sum: typeof nothing, step: ReprojectStep): typeof nothing {
  const filled = { ...sum.filled }
  for (const [path, count] of Object.entries(step.filled)) filled[path] = (filled[path] ?? 0) + count
  return {
    done: sum.done + step.seen,
    changed: sum.changed + step.changed,
    failed: sum.failed + step.failed,
    total: step.total_estimate ?? 0,
    finished: step.done,
    filled,
  }
}
