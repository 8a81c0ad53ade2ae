import { api } from '../api.ts'
import type { Overview } from '@vitae/contract/admin'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Tile } from '../elements/tile.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow, type TimeWindow } from '../elements/time/time-window.ts'
import { formatMs, formatNumber, formatShare } from '../format.ts'
import type { Route } from '../router.ts'
import { useQuery } from '../use-query.ts'
import { Attention } from './overview/attention.tsx'
import { CallChart, CreditChart, LatencyChart } from './overview/charts.tsx'
import { EnvironmentBurn } from './overview/environment-burn.tsx'
import { ProviderHealth } from './overview/provider-health.tsx'

/** The overview page: items that need attention first, then traffic, savings, credits, latency and providers. */
export function OverviewPage({ route }: { route: Route }) {
  const window = readWindow(route.query, '24h')
  const { since, until } = window
  const query = useQuery(
    `overview ${since} ${until}`,
    (signal) => api.get<Overview>('/overview', { since, until }, signal),
    { pollMs: 10_000 },
  )
  return (
    <>
      <PageHead title="Overview" actions={<TimePicker path={['overview']} keep={{}} window={window} />} />
      <Loaded query={query}>
        {(overview) => <Figures overview={overview} window={window} onDone={query.reload} />}
      </Loaded>
    </>
  )
}

function Figures({ overview, window, onDone }: { overview: Overview; window: TimeWindow; onDone: () => void }) {
  const { totals, series, bucket_seconds, environments, providers } = overview
  const bucketMs = bucket_seconds * 1_000
  return (
    <>
      <Attention overview={overview} onDone={onDone} />
      <Tiles overview={overview} />
      <Panel title="Calls">
        {totals.calls === 0 ? (
          <EmptyState title="No live call in this time.">
            Make a key under <a href="#/projects">Projects and keys</a>, or try one in the{' '}
            <a href="#/playground">Playground</a>. Calls with test keys are not counted.
          </EmptyState>
        ) : (
          <CallChart series={series} bucketMs={bucketMs} />
        )}
      </Panel>
      <div class="columns">
        <Panel title="Latency">
          <LatencyChart series={series} bucketMs={bucketMs} />
        </Panel>
        <Panel title="Credits burnt">
          <CreditChart series={series} bucketMs={bucketMs} />
        </Panel>
      </div>
      <div class="columns">
        <EnvironmentBurn environments={environments} total={overview.environments_total} time={window.query} />
        <ProviderHealth providers={providers} />
      </div>
    </>
  )
}

function Tiles({ overview: { totals, series } }: { overview: Overview }) {
  const latest = series.findLast(({ p50_ms }) => p50_ms !== null)
  return (
    <div class="tiles">
      <Tile label="Calls" value={formatNumber(totals.calls)}>
        {formatNumber(totals.live)} live, {formatNumber(totals.store)} store, {formatNumber(totals.stale)} stale
      </Tile>
      <Tile label="Upstream calls saved" value={formatNumber(totals.upstream_saved)} tone="good">
        {totals.calls === 0 ? 'nothing yet' : `${formatShare(totals.store_share)} of answers from the store`}
      </Tile>
      <Tile label="Credits burnt" value={formatNumber(totals.credits)} />
      <Tile
        label="Failed here (5xx)"
        value={formatNumber(totals.server_errors)}
        {...(totals.server_errors > 0 ? { tone: 'danger' as const } : {})}
      >
        {formatNumber(totals.client_errors)} refused (4xx); neither is billed
      </Tile>
      <Tile label="Latency, latest" value={formatMs(latest?.p50_ms)}>
        95 of 100 within {formatMs(latest?.p95_ms)}
      </Tile>
    </div>
  )
}
