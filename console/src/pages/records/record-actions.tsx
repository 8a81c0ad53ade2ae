import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { RecordView } from './record-view.ts'
import { Button } from '../../elements/button.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { confirmDone } from '../../elements/toast.tsx'

interface Props {
  view: RecordView
  reference: string
  onChange: () => void
}

/** The buttons of a record: refresh, export, erase. */
export function RecordActions({ view, reference, onChange }: Props) {
  const mayRefresh = useCan('refreshPersonRecord')
  const mayErase = useCan('erasePerson')
  const [erasing, setErasing] = useState(false)
  const refresh = useAction()
  const exporting = useAction()
  const name = (view.record?.public_identifier ?? view.key).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
  const [kind, ref] = [view.kind, reference]
  const save = () => api.download(`/records/${kind}/:ref/export`, `${kind}-${name}.html`, { ref, format: 'html' })
  const renew = async () => {
    if (!(await refresh.run(() => api.post(`/records/${kind}/:ref/refresh`, { ref })))) return
    onChange()
    confirmDone({ text: 'The record is fetched again.' })
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
      {erasing ? <EraseDialog view={view} reference={reference} onClose={() => setErasing(false)} /> : null}
    </>
  )
}
