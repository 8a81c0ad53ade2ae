import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { JsonView } from '../../elements/json-view.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatMs } from '../../format.ts'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'

type Fetch = AdminAnswer<'showPersonRecord'>['fetches'][number]

/** The provider calls behind a record. A payload is loaded only on request. */
export function RawPayloads({ fetches }: { fetches: Fetch[] }) {
  if (fetches.length === 0)
    return <EmptyState title="No call to a provider is known.">Imported records have no provider calls.</EmptyState>
  return (
    <div class="stack">
      {fetches.map((fetch) => (
        <Payload key={fetch.id} of={fetch} />
      ))}
    </div>
  )
}

function Payload({ of: fetch }: { of: Fetch }) {
  const mayRead = useCan('readRawPayload')
  const [text, setText] = useState<string | null>(null)
  const action = useAction()
  const read = () => void action.run(async () => setText(await api.text('/records/fetches/:id/raw', { id: fetch.id })))
  const title = (
    <>
      <span>
        {fetch.provider}, <Time at={fetch.at} />
      </span>
      <Badge tone={fetch.outcome === 'found' ? 'good' : 'neutral'}>{fetch.outcome.replaceAll('_', ' ')}</Badge>
      {fetch.redacted ? <Badge tone="warning">redacted</Badge> : null}
      <span class="faint">{formatMs(fetch.duration_ms)}</span>
    </>
  )
  return (
    <Panel
      title={title}
      actions={
        mayRead && fetch.has_payload && text === null ? (
          <Button small busy={action.busy} label={`Show payload ${fetch.id}`} onClick={read}>
            Show payload
          </Button>
        ) : null
      }
    >
      <div class="panel-body">
        <ErrorNotice error={action.error} />
        {text === null ? (
          <p class="faint">
            {fetch.has_payload
              ? 'The bytes are kept as they came. Reading them is written to the audit log.'
              : 'The bytes are no longer kept.'}
          </p>
        ) : (
          <JsonView text={text} label={`raw payload ${fetch.id}`} />
        )}
      </div>
    </Panel>
  )
}
