import type { Kind } from '@vitae/contract'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice, Notice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { useAction } from '../../use-action.ts'

export const kindOptions = [
  ['people', 'Person'],
  ['companies', 'Company'],
] as const

/** Checks whether an identifier is suppressed. The list cannot show this, because it holds only hashes. */
export function CheckSuppression() {
  const [kind, setKind] = useState<Kind>('people')
  const [id, setId] = useState('')
  const [verdict, setVerdict] = useState<{ id: string; suppressed: boolean } | null>(null)
  const action = useAction()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(async () => {
      const ids = [id.trim()]
      const { suppressed } = await api.post('/suppressions/check', { kind, ids })
      setVerdict({ id: id.trim(), suppressed: suppressed.length > 0 })
    })
  }
  return (
    <Panel title="Is somebody on the list?">
      <form class="filters search" onSubmit={submit}>
        <TextField label="Slug, URL or id" value={id} onInput={setId} required mono />
        <SelectField label="Kind" value={kind} options={kindOptions} onChange={setKind} />
        <Button type="submit" icon="search" busy={action.busy} disabled={id.trim() === ''}>
          Check
        </Button>
      </form>
      {verdict || action.error ? (
        <div class="panel-body">
          <ErrorNotice error={action.error} />
          {verdict && !action.error ? (
            <Notice tone={verdict.suppressed ? 'warning' : 'info'}>
              <code>{verdict.id}</code> is {verdict.suppressed ? '' : 'not '}suppressed.
            </Notice>
          ) : null}
        </div>
      ) : null}
    </Panel>
  )
}
