import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { SelectField } from '../../elements/field.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { PlaceFields } from '../../elements/place-fields.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { formatNumber } from '../../format.ts'
import { goTo, hrefTo } from '../../router.ts'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'

type StatementAnswer = AdminAnswer<'readStatement'>

interface Place {
  project: string
  environment: string
  month: string
}

/** Builds the link to a statement. */
export function statementHref({ project, environment, month }: Partial<Place>): string {
  return hrefTo(['spend', 'statement'], { project, environment, month })
}

/** The monthly statement of a project or environment, to read, download or print. */
export function StatementPage({ query }: { query: URLSearchParams }) {
  const { project: only } = useSession()
  const months = monthsBefore(Date.now())
  const place: Place = {
    project: query.get('project') ?? only ?? '',
    environment: query.get('environment') ?? '',
    month: query.get('month') ?? months[0] ?? '',
  }
  const { project, environment, month } = place
  const saving = useAction()
  const save = () => api.download('/statement', `${fileName(place)}.csv`, { ...place, format: 'csv' })
  const choices = months.includes(month) ? months : [month, ...months]
  return (
    <>
      <Back to={['spend', 'projects']}>Spend</Back>
      <PageHead
        title={`Statement ${wordsOfMonth(month)}`}
        actions={
          project === '' ? null : (
            <>
              <ErrorNotice error={saving.error} />
              <Button busy={saving.busy} onClick={() => void saving.run(save)}>
                CSV
              </Button>
              <Button onClick={() => print()}>Print</Button>
            </>
          )
        }
      >
        {project === '' ? 'Choose a project.' : `${project}, ${environment || 'all environments'}. Months are in UTC.`}
      </PageHead>
      <Panel>
        <div class="panel-body no-print" role="search" aria-label="Whose statement">
          <PlaceFields
            project={project}
            environment={environment}
            everywhere="All environments"
            onChange={(chosen) => goTo(statementHref({ ...chosen, month }))}
          >
            <SelectField
              label="Month"
              value={month}
              options={choices.map((each) => [each, wordsOfMonth(each)] as const)}
              onChange={(chosen) => goTo(statementHref({ ...place, month: chosen }))}
            />
          </PlaceFields>
        </div>
        {project === '' ? null : <Figures {...place} />}
      </Panel>
    </>
  )
}

const words = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Formats `2026-10` as `October 2026`; returns any other text unchanged. */
function wordsOfMonth(month: string): string {
  const at = Date.parse(`${month}-01T00:00:00Z`)
  return Number.isNaN(at) ? month : words.format(at)
}

/** The current UTC month and the 24 months before it, newest first. */
function monthsBefore(now: number): string[] {
  const date = new Date(now)
  return Array.from({ length: 25 }, (_, ago) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - ago, 1)).toISOString().slice(0, 7),
  )
}

function fileName({ project, environment, month }: Place): string {
  return ['statement', project, environment, month].filter(Boolean).join('-')
}

function Figures({ project, environment, month }: Place) {
  const query = useQuery(`statement ${project} ${environment} ${month}`, (signal) =>
    api.get('/statement', { project, environment, month }, signal),
  )
  return (
    <Loaded query={query}>
      {(statement) => (
        <>
          <State statement={statement} />
          <Balances statement={statement} />
          <h3 class="panel-rule">Charges</h3>
          <Lines lines={statement.lines} />
          <h3 class="panel-rule">Cost at providers</h3>
          <Costs cost={statement.provider_cost} />
        </>
      )}
    </Loaded>
  )
}

function State({ statement: { in_progress: isOpen, digest } }: { statement: StatementAnswer }) {
  return (
    <p class="panel-body statement-state">
      {isOpen ? <Badge tone="warning">in progress</Badge> : <Badge tone="good">closed</Badge>}
      {isOpen ? (
        <span>Figures may still change until the month is closed.</span>
      ) : (
        <span>
          SHA-256 <code>{digest}</code>. The audit log has it too.
        </span>
      )}
    </p>
  )
}

/** The balances as a column that adds up: amounts that reduce the balance are negative. */
function Balances({ statement }: { statement: StatementAnswer }) {
  const { value } = statement
  const worth = value ? `${value.charged} ${value.currency} at ${value.credit} ${value.currency} a credit` : ''
  const rows: [name: string, credits: number, note?: string][] = [
    ['Opening balance', statement.opening_balance],
    ['Granted', statement.granted],
    ['Lapsed', 0 - statement.lapsed, 'recurring credits that were not spent in time'],
    ['Charged', 0 - statement.charged, worth],
    ['Corrected', statement.corrected, 'refunds and corrections'],
    ['Closing balance', statement.closing_balance],
  ]
  return (
    <DataTable
      caption="Balances in credits"
      rows={rows}
      keyOf={([name]) => name}
      columns={[
        {
          label: 'Balance',
          head: true,
          cell: ([name, , note]) => (
            <>
              <span>{name}</span>
              {note ? <span class="faint statement-note"> {note}</span> : null}
            </>
          ),
        },
        { label: 'Credits', align: 'right', cell: ([, credits]) => signed(credits) },
      ]}
      empty={null}
    />
  )
}

function signed(credits: number): string {
  return credits < 0 ? `−${formatNumber(-credits)}` : formatNumber(credits)
}

function Lines({ lines }: { lines: StatementAnswer['lines'] }) {
  return (
    <DataTable
      caption="Charges by price line, endpoint, source and spend tag"
      rows={lines}
      keyOf={(line) => JSON.stringify(line)}
      columns={[
        { label: 'Price line', head: true, cell: (line) => line.price_line ?? 'calls that the log no longer has' },
        { label: 'Endpoint', cell: ({ endpoint }) => endpoint ?? '–' },
        { label: 'Source', cell: ({ source }) => (source === 'stale_fallback' ? 'stale' : (source ?? '–')) },
        { label: 'Spend tag', cell: ({ spend_tag: tag }) => <bdi>{tag ?? '–'}</bdi> },
        { label: 'Calls', align: 'right', cell: ({ calls }) => formatNumber(calls) },
        { label: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
      ]}
      empty={<EmptyState title="Nothing was charged in this month." />}
    />
  )
}

function Costs({ cost: { currency, total, by_provider } }: { cost: StatementAnswer['provider_cost'] }) {
  const rows = by_provider.length === 0 ? [] : [...by_provider, { provider: 'All providers', cost: total }]
  return (
    <DataTable
      caption="Cost by provider"
      rows={rows}
      keyOf={({ provider }) => provider}
      columns={[
        { label: 'Provider', head: true, cell: ({ provider }) => provider },
        { label: `Cost in ${currency}`, align: 'right', cell: ({ cost }) => cost },
      ]}
      empty={<EmptyState title="No call of this month had a cost at a provider." />}
    />
  )
}
