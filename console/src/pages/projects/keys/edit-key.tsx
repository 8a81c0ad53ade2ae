import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import type { Key } from '@vitae/contract/admin'
import { FormDialog } from '../../../elements/dialogs/form-dialog.tsx'
import { hrefTo } from '../../../router.ts'
import { changedSettings, KeySettingsFields, readSettings } from './key-settings.tsx'

/** Changes the settings of a key. */
export function EditKey({ of: key, ...rest }: { of: Key; onDone: () => void; onClose: () => void }) {
  const [settings, setSettings] = useState(() => readSettings(key))
  const before = readSettings(key)
  const send = () => api.patch('/keys/:id', { id: key.id, ...changedSettings(before, settings) })
  const done = () => ({
    text: `${settings.label || key.display}: saved.`,
    undo: () => api.patch('/keys/:id', { id: key.id, ...changedSettings(settings, before) }),
    link: { text: 'Show the key', href: hrefTo(['projects', 'key', key.id]) },
  })
  return (
    <FormDialog title="Edit key" send={send} done={done} {...rest}>
      <KeySettingsFields value={settings} onChange={setSettings} />
    </FormDialog>
  )
}
