import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/lists/pager.tsx'
import { Segments } from '../../elements/segments.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Tile } from '../../elements/tile.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { GrantCredits } from './grant-credits.tsx'
import { KeyTable } from './keys/key-table.tsx'
import { SpendingLimits } from './spending-limits.tsx'
import { UsagePanel, useUsage } from './usage.tsx'
import { statementHref } from '../spend/statement.tsx'
import { RoutePanel } from '../providers/route-panel.tsx'

type LedgerPage = AdminAnswer<'creditHistory'>

type Entry = LedgerPage['entries'][number]

interface Props {
  project: string
  environment: string
  /** The parameter `only` selects the ledger entries: `all`, `grants` (by operators) or `spending` (by calls). */
  query: URLSearchParams
}

const choices = ['all', 'grants', 'spending'] as const

/** One environment: balance, usage, limits and keys first, then its ledger, and its settings last. */
export function EnvironmentView({ project, environment, query }: Props) {
  const mayGrant = useCan('grantCredits')
  const [granting, setGranting] = useState(false)
  const shown = choices.find((choice) => choice === query.get('only')) ?? 'all'
  const [cursor, setCursor] = useCursor(['projects', 'in', project, environment], query)
  const where = { project, environment }
  const name = `${project}/${environment}`
  const balance = useQuery(`balance ${name}`, (signal) => api.get('/credits/balance', where, signal))
  const ledger = useQuery(`ledger ${name} ${shown} ${cursor}`, (signal) =>
    api.get('/credits/history', { ...where, only: shown === 'all' ? null : shown, limit: 50, cursor }, signal),
  )
  const done = () => {
    setGranting(false)
    balance.reload()
    ledger.reload()
  }
  return (
    <>
      <Back to={['projects', 'projects/keys']}>Projects and keys</Back>
      <PageHead
        title={name}
        actions={
          mayGrant ? (
            <Button kind="primary" icon="plus" onClick={() => setGranting(true)}>
              Grant credits
            </Button>
          ) : null
        }
      />
      <Loaded query={balance}>
        {(figures) => (
          <div class="tiles">
            <Tile label="Available" word="available" value={formatNumber(figures.available)} />
            <Tile label="Held by calls in progress" word="held" value={formatNumber(figures.held)} />
            <Tile label="Balance" word="balance" value={formatNumber(figures.balance)} />
            {figures.monthly_budget === undefined ? null : (
              <Tile label="Spent of this month's budget" value={formatNumber(figures.spent_this_month)}>
                of {formatNumber(figures.monthly_budget)}
              </Tile>
            )}
          </div>
        )}
      </Loaded>
      <UsagePanel query={useUsage(where, 'live')} place={where} />
      {balance.data ? <SpendingLimits where={where} balance={balance.data} onChange={done} /> : null}
      <Keys {...where} />
      <Panel
        title="Ledger"
        actions={
          <>
            <a href={statementHref(where)}>Statement</a>
            <Segments
              label="Entries"
              options={choices}
              current={shown}
              hrefOf={(choice) =>
                hrefTo(['projects', 'in', project, environment], { only: choice === 'all' ? null : choice })
              }
            />
          </>
        }
      >
        <Loaded query={ledger}>
          {({ entries, next_cursor }) => (
            <>
              <Entries entries={entries} />
              <Pager
                next={next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{
                  list: 'creditHistory',
                  shown: entries.length,
                  ask: { ...where, only: shown === 'all' ? null : shown },
                }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      <RoutePanel {...where} />
      {granting ? <GrantCredits {...where} onDone={done} onClose={() => setGranting(false)} /> : null}
    </>
  )
}

function Keys(where: { project: string; environment: string }) {
  const wanted = { ...where, state: 'active', order: 'last_used' }
  const query = useQuery(`keys ${JSON.stringify(where)}`, (signal) =>
    api.get('/keys', { ...wanted, limit: 10 }, signal),
  )
  return (
    <Panel title="Keys" actions={<a href={hrefTo(['projects', 'keys'], where)}>All keys</a>}>
      <Loaded query={query}>
        {({ keys }) => (
          <KeyTable
            caption="Working keys, last used first"
            keys={keys}
            empty={<EmptyState title="This environment has no working key." />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Entries({ entries }: { entries: Entry[] }) {
  return (
    <DataTable<Entry>
      caption="Ledger entries, newest first"
      rows={entries}
      keyOf={({ id }) => String(id)}
      columns={[
        { label: 'When', head: true, cell: ({ at }) => <Time at={at} /> },
        { label: 'Entry', cell: ({ kind }) => <Badge tone={kind === 'grant' ? 'good' : 'neutral'}>{kind}</Badge> },
        { label: 'Change', align: 'right', cell: (entry) => <Change entry={entry} /> },
        { label: 'Balance', align: 'right', cell: ({ balance }) => formatNumber(balance) },
        { label: 'By', cell: ({ actor }) => actor ?? 'a call' },
        { label: 'About', cell: (entry) => <About entry={entry} /> },
      ]}
      empty={
        <EmptyState title="Nothing was granted or spent here yet.">
          Credits are granted by billing or an owner.
        </EmptyState>
      }
    />
  )
}

/** A hold reserves credits and a release returns them. Neither changes the balance, so neither shows a sign. */
function Change({ entry: { kind, amount, change } }: { entry: Entry }) {
  if (kind === 'hold') return <span class="faint nowrap">holds {formatNumber(amount)}</span>
  if (kind === 'release') return <span class="faint nowrap">frees {formatNumber(amount)}</span>
  const text = change < 0 ? `−${formatNumber(-change)}` : `+${formatNumber(change)}`
  return <strong class={change > 0 ? 'plus' : undefined}>{text}</strong>
}

function About({ entry }: { entry: Entry }) {
  if (!entry.request_id) return <>{entry.reason ?? '–'}</>
  return <a href={hrefTo(['calls', entry.request_id])}>Receipt</a>
}
