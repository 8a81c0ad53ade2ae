import { useMemo } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer, UsageRow } from '@vitae/contract/admin'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { readWindow, spanOf } from '../../elements/time/time-window.ts'
import { hrefTo } from '../../router.ts'
import { type QueryState, useQuery } from '../../use-query.ts'
import { zoneQuery } from '../../zone.ts'
import { TrafficChart } from '../overview/charts.tsx'

type Usage = AdminAnswer<'readUsage'>
type Place = { key_id: string } | { project: string; environment: string }

const window30 = () => readWindow(new URLSearchParams(), '30d')

/** Reads the calls of a key or an environment in the last 30 days, by day, source and status. */
export function useUsage(place: Place, mode: 'live' | 'test'): QueryState<Usage> {
  return useQuery(
    `usage ${JSON.stringify([place, mode, zoneQuery()])}`,
    (signal) => {
      const { since, until } = window30()
      return api.get(
        '/usage',
        { ...place, mode, group: 'source,status', per: 'auto', since, until, limit: 1_000, ...zoneQuery() },
        signal,
      )
    },
    { pollMs: 15_000 },
  )
}

/** The usage of a key or an environment over 30 days, with links to its spend and its calls. */
export function UsagePanel({ query, place }: { query: QueryState<Usage>; place: Place }) {
  const time = { time: '30d' }
  return (
    <Panel
      title="Usage in 30 days"
      actions={
        <>
          <a href={hrefTo(['spend'], { ...place, ...time })}>Spend</a>
          <a href={hrefTo(['calls'], { ...place, ...time })}>Calls</a>
        </>
      }
    >
      <Loaded query={query}>{(usage) => <UsageChart usage={usage} />}</Loaded>
    </Panel>
  )
}

function UsageChart({ usage }: { usage: Usage }) {
  const span = useMemo(() => spanOf(window30(), usage), [usage])
  const points = useMemo(() => pointsOf(usage.rows), [usage])
  return <TrafficChart kind="calls" points={points} span={span} />
}

/** The calls of each period by kind, in the form of the overview. */
function pointsOf(rows: UsageRow[]) {
  return [...Map.groupBy(rows, ({ period }) => period)].map(([at, own]) => {
    const is = (source: string) => callsOf(own, (row) => row.source === source)
    const fails = (kind: number) => callsOf(own, ({ status = 0 }) => Math.floor(status / 100) === kind)
    const figures = { live: is('live'), store: is('store'), stale: is('stale_fallback') }
    return { at, ...figures, client_errors: fails(4), server_errors: fails(5) }
  })
}

/** The number of calls in the rows that fit. */
export function callsOf(rows: UsageRow[], fits: (row: UsageRow) => boolean): number {
  return rows.filter(fits).reduce((sum, { calls }) => sum + calls, 0)
}
