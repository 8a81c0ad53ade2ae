import { api } from '../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { SelectField } from '../elements/field.tsx'
import { ProjectField } from '../elements/place-fields.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Tile } from '../elements/tile.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow, spanOf, type TimeWindow } from '../elements/time/time-window.ts'
import { formatNumber } from '../format.ts'
import { goTo, hrefTo, type Route } from '../router.ts'
import { zoneQuery } from '../zone.ts'
import { useCan } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { dayQuery, type Group, groupsIn, type Place, placeOf } from './spend/groups.ts'
import { Savings } from './spend/savings.tsx'
import { coloursAtMost, SpendChart } from './spend/spend-chart.tsx'
import { statementHref, StatementPage } from './spend/statement.tsx'
import { SpendTable } from './spend/spend-table.tsx'
import { Trail } from './spend/trail.tsx'

type Usage = AdminAnswer<'readUsage'>

const dayMs = 86_400_000
const rowsShown = 25

type Ask = Record<string, string | number | boolean | null>

/**
 * The parameters for the table, also used for its file: days in order of time, any other group ranked by the service.
 */
function tableAsk(by: Group, place: Place, { since, until }: TimeWindow, cursor: string | null): Ask {
  const ask = { ...place, since, until, ...zoneQuery() }
  return by === 'day'
    ? { ...ask, per: 'day' }
    : { ...ask, group: by, per: 'all', top: rowsShown, compare: true, cursor }
}

/** The spending report, or the monthly statement. */
export function SpendPage({ route }: { route: Route }) {
  return route.rest[0] === 'statement' ? <StatementPage query={route.query} /> : <SpendView route={route} />
}

/** Spending over time and against the previous period. Each click narrows it, from all projects down to one tag. */
function SpendView({ route }: { route: Route }) {
  const place = placeOf(route.query)
  const window = readWindow(route.query, '30d')
  const choices = groupsIn(place)
  const [by, title] = choices.find(([name]) => name === route.query.get('by')) ?? choices[0] ?? ['day', 'Day']
  const [cursor, setCursor] = useCursor(['spend'], route.query)
  const table = tableAsk(by, place, window, cursor)
  const query = useQuery(`spend ${JSON.stringify([table, by])}`, async (signal) => {
    const chart = { ...place, since: window.since, until: window.until, per: 'auto', ...zoneQuery() }
    const ranked = by === 'day' ? chart : { ...chart, group: by, top: coloursAtMost }
    const [shown, drawn] = await Promise.all([api.get('/usage', table, signal), api.get('/usage', ranked, signal)])
    return { shown, drawn: drawn.rows, span: spanOf(window, drawn) }
  })
  const maySeeSavings = useCan('readSavings')
  const pickDay = (at: number) => goTo(hrefTo(['spend'], { ...place, by, ...dayQuery(at) }))
  return (
    <>
      <PageHead
        title="Spend"
        actions={
          <>
            <a class="button" href={statementHref(place)}>
              Statement
            </a>
            <TimePicker path={['spend']} keep={{ ...place, by: route.query.get('by') }} window={window} />
          </>
        }
      >
        Calls and credits of live keys. The sums are those of the ledger.
      </PageHead>
      <Trail place={place} time={window.query} />
      <Loaded query={query}>
        {({ shown, drawn, span }) => (
          <>
            <Totals usage={shown} title={title} />
            <Panel>
              <div class="filters" role="search" aria-label="What to add up">
                <ProjectField
                  value={place.project ?? ''}
                  none="All"
                  onChange={(project) => goTo(hrefTo(['spend'], { project, ...window.query }))}
                />
                <SelectField
                  label="By"
                  value={by}
                  options={choices}
                  onChange={(value) => goTo(hrefTo(['spend'], { ...place, ...window.query, by: value }))}
                />
              </div>
              {shown.rows.length === 0 ? (
                <EmptyState title="No live call in this time.">Choose a longer one.</EmptyState>
              ) : (
                <>
                  <SpendChart
                    key={`${by} ${span.bucketMs}`}
                    rows={drawn}
                    by={by}
                    place={place}
                    span={span}
                    {...(span.bucketMs < dayMs ? {} : { onPick: pickDay })}
                  />
                  <SpendTable
                    by={by}
                    title={title}
                    place={place}
                    time={window.query}
                    rows={shown.rows}
                    total={totalsOf(shown).credits}
                  />
                  <Pager
                    next={shown.next_cursor}
                    cursor={cursor}
                    onPage={setCursor}
                    all={{ list: 'readUsage', ask: { ...table, top: null, compare: null, cursor: null } }}
                  />
                </>
              )}
            </Panel>
          </>
        )}
      </Loaded>
      {maySeeSavings && Object.keys(place).length === 0 ? <Savings window={window} /> : null}
    </>
  )
}

function totalsOf({ total, rows }: Usage): { calls: number; credits: number } {
  const sum = (read: (row: Usage['rows'][number]) => number) => rows.reduce((all, row) => all + read(row), 0)
  return total ?? { calls: sum(({ calls }) => calls), credits: sum(({ credits }) => credits) }
}

function Totals({ usage, title }: { usage: Usage; title: string }) {
  const { calls, credits } = totalsOf(usage)
  const before = usage.total?.credits_before
  return (
    <div class="tiles">
      <Tile label="Credits spent" word="credits" value={formatNumber(credits)}>
        {before === undefined ? null : `${formatNumber(before)} in the period before`}
      </Tile>
      <Tile label="Calls" word="calls" value={formatNumber(calls)} />
      {usage.groups === undefined ? null : (
        <Tile label={`${title}: number of groups`} value={formatNumber(usage.groups)} />
      )}
    </div>
  )
}
