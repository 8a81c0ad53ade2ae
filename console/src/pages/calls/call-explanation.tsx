import type { ComponentChildren } from 'preact'
import { api } from '../../api.ts'
import type { ExplainedCall } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Notice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { formatMs } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import { Waterfall } from './waterfall.tsx'

/**
 * Explains the result of a call: first one sentence, then the children, then the request, the freshness decision, the
 * provider attempts and the timings.
 */
export function CallExplanation({ requestId, children }: { requestId: string; children: ComponentChildren }) {
  const query = useQuery(`call ${requestId}`, (signal) =>
    api.get('/calls/:request_id', { request_id: requestId }, signal),
  )
  return (
    <>
      {query.data ? <Why call={query.data} /> : null}
      {children}
      <Loaded query={query}>{(call) => <Explained call={call} />}</Loaded>
    </>
  )
}

function Why({ call: { status, reason } }: { call: ExplainedCall }) {
  return <Notice tone={status < 300 ? 'good' : status < 500 ? 'warning' : 'danger'}>{reason}</Notice>
}

function Explained({ call }: { call: ExplainedCall }) {
  return (
    <>
      <Panel title="Decision">
        <Reasons call={call} />
      </Panel>
      {call.attempts.length > 0 ? (
        <Panel title="Providers asked">
          <Attempts attempts={call.attempts} currency={call.currency} />
        </Panel>
      ) : null}
      <Panel title="Time of each step">
        <Waterfall call={call} />
      </Panel>
    </>
  )
}

function Reasons({ call }: { call: ExplainedCall }) {
  const { identifier, freshness, cause, fetched_by: fetchedBy } = call
  return (
    <dl class="facts panel-body">
      <dt>Asked for</dt>
      <dd>{identifier === null ? whyNameless(call) : <bdi class="mono">{identifier}</bdi>}</dd>
      <dt>Options</dt>
      <dd>{optionsText(call)}</dd>
      <dt>Freshness rule</dt>
      <dd>{freshness ? `${freshness.decision}: ${freshness.reason}` : 'not applied'}</dd>
      {cause ? (
        <>
          <dt>Cause</dt>
          <dd>{cause}</dd>
        </>
      ) : null}
      {fetchedBy ? (
        <>
          <dt>Waited for</dt>
          <dd>
            <a href={hrefTo(['calls', fetchedBy])}>{fetchedBy}</a>, which made the fetch
          </dd>
        </>
      ) : null}
    </dl>
  )
}

function whyNameless({ mode, status }: ExplainedCall): string {
  if (status === 400) return 'could not be read, and is not kept'
  return mode === 'test' ? 'a sample; not kept for test keys' : 'not kept'
}

function optionsText({ options, mode, status }: ExplainedCall): string {
  if (options !== null) return options.length === 0 ? 'the usual ones' : options.join(', ')
  if (status !== 200) return 'not read'
  return mode === 'test' ? 'not kept for test keys' : 'not kept for a plain answer from the store'
}

function Attempts({ attempts, currency }: Pick<ExplainedCall, 'attempts' | 'currency'>) {
  const rows = attempts.map((attempt, index) => ({ ...attempt, index }))
  return (
    <DataTable<(typeof rows)[number]>
      caption="Providers, in the order in which they were asked"
      rows={rows}
      keyOf={({ index }) => String(index)}
      columns={[
        { label: 'Provider', head: true, cell: ({ provider }) => provider },
        {
          label: 'Outcome',
          cell: ({ outcome }) => <Badge tone={outcome === 'found' ? 'good' : 'warning'}>{outcome}</Badge>,
        },
        { label: 'Status', align: 'right', cell: ({ status }) => status ?? '–' },
        { label: 'Cause', cell: ({ cause }) => cause ?? '–' },
        { label: 'Cost', align: 'right', cell: ({ cost }) => (cost === null ? '–' : `${cost} ${currency}`) },
        { label: 'Took', align: 'right', cell: (attempt) => formatMs(attempt.duration_ms) },
      ]}
      empty={null}
    />
  )
}
