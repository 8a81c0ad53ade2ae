import type { ComponentChildren } from 'preact'
import { useAction } from '../../use-action.ts'
import { Button } from '../button.tsx'
import { TextField } from '../field.tsx'
import { ErrorNotice } from '../notice.tsx'
import { confirmDone, type Done } from '../toast.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** Text of the submit button. */
  verb?: string
  send: () => Promise<unknown>
  /** Confirms the change, with a way back. */
  done: () => Done
  onDone: () => void
  onClose: () => void
  children: ComponentChildren
}

/** A dialog with a form for one change. If the change fails, the dialog stays open and shows the error. */
export function FormDialog({ title, verb = 'Save', send, done, onDone, onClose, children }: Props) {
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(await action.run(send))) return
    onDone()
    confirmDone(done())
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** An optional reason for a change, kept for later readers. */
export function ReasonField(props: { value: string; onInput: (value: string) => void; kept?: string }) {
  const { kept = 'in the audit log', ...rest } = props
  return <TextField label="Reason (optional)" hint={`Stays ${kept}.`} {...rest} />
}

/** The reason as part of a request body; empty without a reason. */
export function because(reason: string): { reason?: string } {
  return reason.trim() ? { reason: reason.trim() } : {}
}
