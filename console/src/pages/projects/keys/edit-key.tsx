import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import type { Key } from '@vitae/contract/admin'
import { FormDialog } from '../../../elements/dialogs/form-dialog.tsx'
import { changedSettings, KeySettingsFields, readSettings } from './key-settings.tsx'

/** Changes the settings of a key. */
export function EditKey({ of: key, ...rest }: { of: Key; onDone: () => void; onClose: () => void }) {
  const [settings, setSettings] = useState(() => readSettings(key))
  const send = () => api.patch(`/keys/${encodeURIComponent(key.id)}`, changedSettings(readSettings(key), settings))
  return (
    <FormDialog title="Edit key" send={send} {...rest}>
      <KeySettingsFields value={settings} onChange={setSettings} />
    </FormDialog>
  )
}
