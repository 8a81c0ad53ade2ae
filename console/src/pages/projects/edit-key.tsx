import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Key } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'
import { changedSettings, KeySettingsFields, readSettings } from './key-settings.tsx'

/** Changes what a key may do. */
export function EditKey({ of: key, onDone, onClose }: { of: Key; onDone: () => void; onClose: () => void }) {
  const [settings, setSettings] = useState(() => readSettings(key))
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const change = changedSettings(readSettings(key), settings)
    if (await action.run(() => api.patch(`/keys/${encodeURIComponent(key.id)}`, change))) onDone()
  }
  return (
    <Dialog title="Edit key" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <KeySettingsFields value={settings} onChange={setSettings} />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
