import { api } from '../api.ts'
import type { UsageRow } from '../api-types.generated.ts'
import { Button } from '../elements/button.tsx'
import { SelectField } from '../elements/field.tsx'
import { ErrorNotice } from '../elements/notice.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { goTo, hrefTo, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useAction } from '../use-action.ts'
import { useQuery } from '../use-query.ts'
import { addUp, groups, type Group } from './spend/groups.ts'
import { Savings } from './spend/savings.tsx'
import { SpendChart } from './spend/spend-chart.tsx'
import { SpendTable } from './spend/spend-table.tsx'

const spans = [
  ['1d', 'Last day'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
] as const
type Span = (typeof spans)[number][0]

/** All pages of a report. */
async function readUsage(ask: Record<string, string>, signal: AbortSignal): Promise<UsageRow[]> {
  const rows: UsageRow[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string> = cursor === null ? ask : { ...ask, cursor }
    const page: { rows: UsageRow[]; next_cursor: string | null } = await api.get('/usage', query, signal)
    rows.push(...page.rows)
    cursor = page.next_cursor
  } while (cursor !== null)
  return rows
}

/** Who spent the credits, over time and against the time before: the sums of the ledger, by what one wants to know. */
export function SpendPage({ route }: { route: Route }) {
  const by = groups.find(([name]) => name === route.query.get('by'))?.[0] ?? 'project'
  const since = spans.find(([name]) => name === route.query.get('since'))?.[0] ?? '30d'
  const maySeeSavings = useCan('readSavings')
  const ask = { group: by, since, per: since === '1d' ? 'hour' : 'day' }
  const query = useQuery(`spend ${by} ${since}`, async (signal) => {
    const before = { group: by, per: 'month', since: `${2 * Number.parseInt(since, 10)}d`, until: since }
    const [now, earlier] = await Promise.all([readUsage(ask, signal), readUsage(before, signal)])
    return { rows: now, sums: addUp(now, by), earlier: addUp(earlier, by) }
  })
  const choose = (change: { by?: Group; since?: Span }) => goTo(hrefTo(['spend'], { by, since, ...change }))
  const saving = useAction()
  const save = () => api.download('/usage', `spend-by-${by}.csv`, { ...ask, format: 'csv' })
  return (
    <>
      <PageHead
        title="Spend"
        actions={
          <>
            <ErrorNotice error={saving.error} />
            <Button busy={saving.busy} onClick={() => void saving.run(save)}>
              CSV
            </Button>
          </>
        }
      >
        Calls and credits of live keys. The sums are those of the ledger.
      </PageHead>
      {maySeeSavings ? <Savings since={since} /> : null}
      <Panel>
        <div class="filters" role="search" aria-label="What to add up">
          <SelectField label="By" value={by} options={groups} onChange={(value) => choose({ by: value })} />
          <SelectField label="Time" value={since} options={spans} onChange={(value) => choose({ since: value })} />
        </div>
        <Loaded query={query}>
          {({ rows, sums, earlier }) =>
            sums.length === 0 && earlier.length === 0 ? (
              <EmptyState title="No live call in this time.">Choose a longer one.</EmptyState>
            ) : (
              <>
                {by === 'day' ? null : (
                  <SpendChart key={`${by} ${since}`} rows={rows} by={by} perHour={since === '1d'} />
                )}
                <SpendTable by={by} since={since} sums={sums} earlier={by === 'day' ? null : earlier} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
