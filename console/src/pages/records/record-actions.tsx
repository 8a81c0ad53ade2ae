import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { RecordView } from './record-view.ts'
import { Button } from '../../elements/button.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { EraseDialog } from './erase-dialog.tsx'

/** The buttons of a record: refresh, export, erase. */
export function RecordActions({ view, path, onChange }: { view: RecordView; path: string; onChange: () => void }) {
  const mayRefresh = useCan('refreshPersonRecord')
  const mayErase = useCan('erasePerson')
  const [erasing, setErasing] = useState(false)
  const refresh = useAction()
  const exporting = useAction()
  const name = (view.record?.public_identifier ?? view.key).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
  const save = () => api.download(`${path}/export`, `${view.kind}-${name}.html`, { format: 'html' })
  const renew = async () => {
    if (await refresh.run(() => api.post(`${path}/refresh`))) onChange()
  }
  return (
    <>
      {mayRefresh ? (
        <>
          <Button busy={exporting.busy} onClick={() => void exporting.run(save)}>
            Export
          </Button>
          <Button icon="refresh" busy={refresh.busy} onClick={() => void renew()}>
            Refresh
          </Button>
        </>
      ) : null}
      {mayErase ? (
        <Button kind="danger" onClick={() => setErasing(true)}>
          Erase
        </Button>
      ) : null}
      <ErrorNotice error={refresh.error ?? exporting.error} />
      {erasing ? <EraseDialog view={view} path={path} onClose={() => setErasing(false)} /> : null}
    </>
  )
}
