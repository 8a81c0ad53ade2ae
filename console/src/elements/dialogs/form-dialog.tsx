import type { ComponentChildren } from 'preact'
import { useAction } from '../../use-action.ts'
import { Button } from '../button.tsx'
import { TextField } from '../field.tsx'
import { ErrorNotice } from '../notice.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** What the button that sends is called. */
  verb?: string
  send: () => Promise<unknown>
  onDone: () => void
  onClose: () => void
  children: ComponentChildren
}

/** A window with a form that makes one change; where the change fails it stays and says why. */
export function FormDialog({ title, verb = 'Save', send, onDone, onClose, children }: Props) {
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (await action.run(send)) onDone()
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

/** Why something is changed, for those who read of it later. */
export function ReasonField(props: { value: string; onInput: (value: string) => void; kept?: string }) {
  const { kept = 'in the audit log', ...rest } = props
  return <TextField label="Reason (optional)" hint={`Stays ${kept}.`} {...rest} />
}

/** The reason as it is sent: nothing where there is none. */
export function because(reason: string): { reason?: string } {
  return reason.trim() ? { reason: reason.trim() } : {}
}
