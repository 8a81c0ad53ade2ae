import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import type { Key, NewKey } from '@vitae/contract/admin'
import { Button } from '../../../elements/button.tsx'
import { Dialog } from '../../../elements/dialogs/dialog.tsx'
import { SelectField } from '../../../elements/field.tsx'
import { ErrorNotice } from '../../../elements/notice.tsx'
import { useAction } from '../../../use-action.ts'

const overlaps = [
  ['0s', 'Ends now'],
  ['1h', 'Goes on for an hour'],
  ['24h', 'Goes on for a day'],
  ['7d', 'Goes on for a week'],
] as const

/** Replaces a key with a new one. The old key can stay valid for a while, so that its users have time to switch. */
export function RotateKey({
  of: key,
  onMade,
  onClose,
}: {
  of: Key
  onMade: (key: NewKey) => void
  onClose: () => void
}) {
  const [overlap, setOverlap] = useState<(typeof overlaps)[number][0]>('24h')
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    await action.run(async () => onMade(await api.post('/keys/:id/rotate', { id: key.id, overlap })))
  }
  return (
    <Dialog title={`Rotate ${key.label || key.display}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p>The new key inherits all settings and shares what the old one has spent this month.</p>
        <SelectField label="The old key" value={overlap} options={overlaps} onChange={setOverlap} />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Rotate key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
