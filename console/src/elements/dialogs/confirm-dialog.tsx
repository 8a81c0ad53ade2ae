import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../../use-action.ts'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from '../field.tsx'
import { ErrorNotice } from '../notice.tsx'
import { confirmDone, type Done } from '../toast.tsx'

interface Props {
  title: string
  children: ComponentChildren
  verb: string
  /** The text to type before the button works; null if a click is enough. */
  word: string | null
  /** Asks for a reason, which goes to the audit log. */
  askReason?: 'optional' | 'required'
  /** Advice about the reason. */
  reasonHint?: string
  onConfirm: (reason: string) => Promise<unknown>
  /** Confirms the change. Left out if the page shows the result. */
  done?: Done
  /** Called after success; closes the dialog by default. */
  onDone?: () => void
  onClose: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  verb,
  word,
  askReason,
  reasonHint,
  onConfirm,
  done,
  onDone,
  onClose,
}: Props) {
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const action = useAction()
  const ready = (word === null || typed.trim() === word) && (askReason !== 'required' || reason.trim() !== '')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!ready || !(await action.run(() => onConfirm(reason.trim())))) return
    const end = onDone ?? onClose
    end()
    if (done) confirmDone(done)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {askReason ? (
          <TextField
            label={askReason === 'required' ? 'Reason' : 'Reason (optional)'}
            hint={reasonHint ?? 'Goes to the audit log.'}
            value={reason}
            onInput={setReason}
          />
        ) : null}
        {word === null ? null : (
          <TextField label={`Type ${word} to confirm`} value={typed} onInput={setTyped} mono focus />
        )}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={action.busy} disabled={!ready}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
