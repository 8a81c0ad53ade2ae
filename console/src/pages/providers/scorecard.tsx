import { api } from '../../api.ts'
import type { Score } from '@vitae/contract/admin'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { PageHead, Panel, Tabs } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Segments } from '../../elements/segments.tsx'
import { formatAmount, formatMs, formatNumber, formatShare } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import { Disagreements } from './disagreements.tsx'
import { FillMap } from './fill-map.tsx'

const ranges = ['day', 'week', 'month', 'quarter', 'year'] as const
const kinds = [
  ['people', 'People'],
  ['companies', 'Companies'],
] as const

/** Tabs for the state of the providers and their scorecard. */
export function ProviderTabs({ current }: { current: 'state' | 'scorecard' }) {
  return (
    <Tabs
      label="Providers"
      tabs={[
        { text: 'State', href: hrefTo(['providers']), current: current === 'state' },
        { text: 'Scorecard', href: hrefTo(['providers', 'scorecard']), current: current === 'scorecard' },
      ]}
    />
  )
}

/** Compares the providers by hit rate, latency, cost and filled fields. */
export function ScorecardView({ range: wished }: { range: string | null }) {
  const range = ranges.find((name) => name === wished) ?? 'month'
  const query = useQuery(`scorecard ${range}`, (signal) => api.get('/providers/scorecard', { range }, signal))
  return (
    <>
      <PageHead
        title="Provider scorecard"
        actions={
          <Segments
            label="Range"
            options={ranges}
            current={range}
            hrefOf={(name) => hrefTo(['providers', 'scorecard'], { range: name })}
          />
        }
      >
        Which provider finds what, how quickly, and what a usable record of it costs.
      </PageHead>
      <ProviderTabs current="scorecard" />
      <Loaded query={query}>
        {({ providers, disagreements }) => (
          <>
            {kinds.map(([kind, title]) => (
              <KindPanel key={kind} title={title} scores={providers.filter((score) => score.kind === kind)} />
            ))}
            <Disagreements all={disagreements} />
          </>
        )}
      </Loaded>
    </>
  )
}

function KindPanel({ title, scores }: { title: string; scores: Score[] }) {
  if (scores.every(({ calls, records_read: read }) => calls + read === 0))
    return (
      <Panel title={title}>
        <EmptyState title="No provider was asked in this time.">Choose a longer one.</EmptyState>
      </Panel>
    )
  return (
    <Panel title={title}>
      <DataTable<Score>
        caption={`${title}: attempts, answers and money by provider`}
        rows={scores}
        keyOf={({ provider }) => provider}
        columns={[
          { label: 'Provider', head: true, cell: ({ label }) => label },
          { label: 'Attempts', word: 'attempts', align: 'right', cell: ({ calls }) => formatNumber(calls) },
          { label: 'Found', align: 'right', cell: (score) => <Part of={score} count={score.found} /> },
          { label: 'Thin', word: 'thin', align: 'right', cell: ({ thin }) => formatNumber(thin) },
          { label: 'Faults', align: 'right', cell: ({ faults }) => <Faults faults={faults} /> },
          { label: 'p50', align: 'right', cell: (score) => <span class="nowrap">{formatMs(score.p50_ms)}</span> },
          { label: 'p95', align: 'right', cell: (score) => <span class="nowrap">{formatMs(score.p95_ms)}</span> },
          { label: 'Per attempt', align: 'right', cell: (score) => <Money of={score} amount={score.money_per_call} /> },
          {
            label: 'Per usable record',
            align: 'right',
            cell: (score) => (
              <strong>
                <Money of={score} amount={score.money_per_usable_record} />
              </strong>
            ),
          },
          { label: 'Total cost', align: 'right', cell: (score) => <Money of={score} amount={score.money} /> },
        ]}
        empty={null}
      />
      <FillMap title={title} scores={scores.filter((score) => score.records_read > 0)} />
    </Panel>
  )
}

function Part({ of, count }: { of: Score; count: number }) {
  return (
    <span class="nowrap">
      {formatNumber(count)} <span class="faint">{of.calls === 0 ? '' : formatShare(count / of.calls)}</span>
    </span>
  )
}

function Faults({ faults }: Pick<Score, 'faults'>) {
  const kindsOfFault = Object.entries(faults)
  if (kindsOfFault.length === 0) return <>0</>
  return <>{kindsOfFault.map(([kind, count]) => `${formatNumber(count)} ${kind}`).join(', ')}</>
}

function Money({ of, amount }: { of: Score; amount: number | null }) {
  return <span class="nowrap">{formatAmount(amount, of.money_unit)}</span>
}
