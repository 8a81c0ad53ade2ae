import { api } from '../../api.ts'
import type { ExplainedCall } from '../../api-types.generated.ts'
import { Badge } from '../../elements/badge.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { formatMs } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import { Waterfall } from './waterfall.tsx'

/** Why a call ended as it did: what was asked for, what the freshness rule decided, what each provider did, and when. */
export function CallExplanation({ requestId }: { requestId: string }) {
  const query = useQuery(`call ${requestId}`, (signal) =>
    api.get<ExplainedCall>(`/calls/${encodeURIComponent(requestId)}`, {}, signal),
  )
  return (
    <Loaded query={query}>
      {(call) => (
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
      )}
    </Loaded>
  )
}

function Reasons({ call }: { call: ExplainedCall }) {
  const { identifier, freshness, cause, fetched_by: fetchedBy } = call
  return (
    <dl class="facts panel-body">
      <dt>Asked for</dt>
      <dd>{identifier === null ? 'not kept' : <bdi class="mono">{identifier}</bdi>}</dd>
      <dt>Freshness rule</dt>
      <dd>{freshness ? `${freshness.decision}: ${freshness.reason}` : 'not asked'}</dd>
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
