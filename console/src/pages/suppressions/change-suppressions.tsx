import type { Kind } from '@vitae/contract'
import { useState } from 'preact/hooks'
import { api, ApiError } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { IdsField, SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'
import { kindOptions } from './check-suppression.tsx'
import { confirmDone } from '../../elements/toast.tsx'

interface Props {
  what: 'add' | 'remove'
  onDone: () => void
  onClose: () => void
}

/** Adds identifiers to the suppression list, or removes them. */
export function ChangeSuppressions({ what, onDone, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('people')
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const action = useAction()
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, id: line.trim() }))
  const given = lines.filter(({ id }) => id !== '')
  const ids = given.map(({ id }) => id)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { kind, ids, ...(reason.trim() ? { reason: reason.trim() } : {}) }
    const path = what === 'add' ? '/suppressions' : '/suppressions/remove'
    const send = async () => {
      try {
        await api.post(path, body)
      } catch (error) {
        throw withLine(error, given)
      }
    }
    if (!(await action.run(send))) return
    onDone()
    const count = ids.length === 1 ? 'One identifier is' : `${ids.length} identifiers are`
    const undo = what === 'add' ? { undo: () => api.post('/suppressions/remove', { kind, ids }) } : {}
    confirmDone({ text: `${count} ${what === 'add' ? 'suppressed' : 'taken off the list'}.`, ...undo })
  }
  return (
    <Dialog title={what === 'add' ? 'Suppress' : 'Take off the list'} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <SelectField label="Kind" value={kind} options={kindOptions} onChange={setKind} />
        <IdsField value={text} onInput={setText} />
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

/** Rewrites a failure about some ids to name their lines in the form. */
function withLine(error: unknown, given: readonly { number: number; id: string }[]): unknown {
  if (!(error instanceof ApiError)) return error
  const bad = error.errors.flatMap(({ parameter, detail }) => {
    const line = given[Number(/^ids[/.](\d+)$/.exec(parameter)?.[1])]
    return line ? [`Line ${line.number}, ${line.id}: ${detail.replace(/^Line \d+: /, '')}`] : []
  })
  if (bad.length === 0) return error
  const { status, code, requestId } = error
  // The service lists at most 20 errors and ends with the number of the others.
  const more = /and \d+ more\.$/.exec(error.message)?.[0] ?? ''
  return new ApiError(`Nothing was changed. ${bad.join(' ')} ${more}`.trim(), { status, code, requestId })
}
