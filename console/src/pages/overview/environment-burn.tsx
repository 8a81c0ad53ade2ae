import type { Overview } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'

type Row = Overview['environments'][number]

const shownAtMost = 12

interface Props {
  environments: Row[]
  total: number
  /** The time window as a URL query. */
  time: Record<string, string>
}

/** The credits that each environment has spent, and the days until the rest is spent. */
export function EnvironmentBurn({ environments, total, time }: Props) {
  const most = environments.toSorted((a, b) => b.burnt - a.burnt).slice(0, shownAtMost)
  const shown = environments.filter((row) => most.includes(row))
  return (
    <Panel title="Credits by environment">
      <DataTable<Row>
        caption="Credits by environment"
        rows={shown}
        keyOf={(row) => `${row.project}/${row.environment}`}
        columns={[
          {
            label: 'Environment',
            head: true,
            cell: ({ project, environment }) => (
              <a href={hrefTo(['projects', 'in', project, environment])}>
                <Word text={`${project}/${environment}`} />
              </a>
            ),
          },
          { label: 'Available', word: 'available', align: 'right', cell: ({ available }) => formatNumber(available) },
          {
            label: 'Spent',
            word: 'credits',
            align: 'right',
            cell: ({ project, environment, burnt }) => (
              <a href={hrefTo(['spend'], { project, environment, ...time })}>{formatNumber(burnt)}</a>
            ),
          },
          {
            label: 'Days left',
            align: 'right',
            cell: (row) => <DaysLeft row={row} />,
          },
        ]}
        empty={<EmptyState title="No environment yet.">Its first key creates it.</EmptyState>}
      />
      {environments.length > 0 ? (
        <p class="table-note">
          Days left are counted at the spend of the last 14 days.
          {total > shown.length ? (
            <>
              {' '}
              These spent most of {formatNumber(total)}; <a href="#/projects">all of them</a>.
            </>
          ) : null}
        </p>
      ) : null}
    </Panel>
  )
}

function DaysLeft({ row: { days_left: days, available } }: { row: Row }) {
  if (available <= 0) return <Badge tone="danger">empty</Badge>
  if (days === null) return <span class="faint">not in use</span>
  const text = days > 999 ? '> 999' : formatNumber(days < 10 ? days : Math.floor(days))
  return days < 7 ? <Badge tone="warning">{text}</Badge> : <>{text}</>
}
