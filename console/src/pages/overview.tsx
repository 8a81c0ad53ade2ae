import { useMemo } from 'preact/hooks'
import { api } from '../api.ts'
import type { Overview } from '@vitae/contract/admin'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Term } from '../elements/term.tsx'
import { Tile } from '../elements/tile.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow, spanOf, type TimeWindow } from '../elements/time/time-window.ts'
import { formatMs, formatNumber, formatShare } from '../format.ts'
import type { Route } from '../router.ts'
import { useQuery } from '../use-query.ts'
import { zoneQuery } from '../zone.ts'
import { Attention } from './overview/attention.tsx'
import { TrafficChart } from './overview/charts.tsx'
import { EnvironmentBurn } from './overview/environment-burn.tsx'
import { ProviderHealth } from './overview/provider-health.tsx'

/** The overview page: items that need attention first, then traffic, savings, credits, latency and providers. */
export function OverviewPage({ route }: { route: Route }) {
  const window = readWindow(route.query, '24h')
  const { since, until } = window
  const query = useQuery(
    `overview ${since} ${until}`,
    (signal) => api.get('/overview', { since, until, ...zoneQuery() }, signal),
    {
      pollMs: 10_000,
    },
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
  const { totals, series, environments, providers } = overview
  const span = useMemo(() => spanOf(window, overview), [overview])
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
          <TrafficChart kind="calls" points={series} span={span} />
        )}
      </Panel>
      <div class="columns">
        <Panel title="Latency">
          <TrafficChart kind="latency" points={series} span={span} />
        </Panel>
        <Panel title="Credits spent">
          <TrafficChart kind="credits" points={series} span={span} />
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
      <Tile label="Calls" word="calls" value={formatNumber(totals.calls)}>
        {formatNumber(totals.live)} live, {formatNumber(totals.store)} store, {formatNumber(totals.stale)} stale
      </Tile>
      <Tile label="Answered from the store" word="store" value={formatNumber(totals.upstream_saved)} tone="good">
        {totals.calls === 0 ? 'nothing yet' : `${formatShare(totals.store_share)} of all answers`}
      </Tile>
      <Tile label="Credits spent" word="credits" value={formatNumber(totals.credits)} />
      <Tile
        label="Failed here (5xx)"
        word="failed"
        value={formatNumber(totals.server_errors)}
        {...(totals.server_errors > 0 ? { tone: 'danger' as const } : {})}
      >
        {formatNumber(totals.client_errors)} <Term word="refused">refused (4xx)</Term>; neither is billed
      </Tile>
      <Tile label="Latency, latest" word="latency" value={formatMs(latest?.p50_ms)}>
        {latest ? `95 of 100 within ${formatMs(latest.p95_ms)}` : 'nothing yet'}
      </Tile>
    </div>
  )
}
