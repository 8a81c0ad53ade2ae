import type { Kind } from '@vitae/contract'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialog.tsx'
import { Field, SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'
import { kindOptions } from './check-suppression.tsx'

interface Props {
  what: 'add' | 'remove'
  onDone: () => void
  onClose: () => void
}

/** Puts identifiers on the list, or takes them off. */
export function ChangeSuppressions({ what, onDone, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('people')
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const action = useAction()
  const ids = text.split(/\s+/).filter(Boolean)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { kind, ids, ...(reason.trim() ? { reason: reason.trim() } : {}) }
    const path = what === 'add' ? '/suppressions' : '/suppressions/remove'
    if (await action.run(() => api.post(path, body))) onDone()
  }
  return (
    <Dialog title={what === 'add' ? 'Suppress' : 'Take off the list'} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <SelectField label="Kind" value={kind} options={kindOptions} onChange={setKind} />
        <Field label="Slugs, URLs or ids" hint="One per line.">
          {(id, hintId) => (
            <textarea
              id={id}
              class="input mono"
              aria-describedby={hintId}
              value={text}
              spellcheck={false}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <TextField label="Reason (optional)" value={reason} onInput={setReason} hint="Goes to the audit log." />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={what === 'add' ? 'primary' : 'danger'}
            type="submit"
            busy={action.busy}
            disabled={ids.length === 0}
          >
            {what === 'add' ? 'Suppress' : 'Remove'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
