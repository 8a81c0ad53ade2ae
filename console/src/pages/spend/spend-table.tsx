import type { UsageRow } from '@vitae/contract/admin'
import { type Column, DataTable } from '../../elements/lists/data-table.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber, formatShare } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { callsHref, dayQuery, type Group, nameOf, type Place, stepInto } from './groups.ts'

interface Props {
  by: Group
  title: string
  place: Place
  /** The time window as a URL query. */
  time: Record<string, string>
  rows: UsageRow[]
  /** Credits of all groups, including those on other pages. */
  total: number
}

/**
 * Each group with its share, its spending in the previous period and a link to its calls. A click narrows the report to
 * it.
 */
export function SpendTable({ by, title, place, time, rows, total }: Props) {
  const before: Column<UsageRow>[] = [
    { label: 'Period before', align: 'right', cell: ({ credits_before }) => formatNumber(credits_before) },
    { label: 'Change', align: 'right', cell: (row) => changeText(row.credits, row.credits_before ?? 0) },
  ]
  return (
    <DataTable<UsageRow>
      isReport
      caption={by === 'day' ? 'Calls and credits by day' : 'Calls and credits, most credits first'}
      rows={rows}
      keyOf={(row) => `${nameOf(row, by, place)} ${row.key_id ?? ''}`}
      columns={[
        { label: title, head: true, cell: (row) => <Name row={row} by={by} place={place} time={time} /> },
        {
          label: 'Calls',
          word: 'calls',
          align: 'right',
          cell: (row) => <Calls row={row} href={callsHref(row, by, place, time)} />,
        },
        { label: 'Credits', word: 'credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
        { label: 'Share', align: 'right', cell: ({ credits }) => <Share share={total === 0 ? 0 : credits / total} /> },
        ...(by === 'day' ? [] : before),
      ]}
      empty={<EmptyState title="No live call in this time.">Choose a longer one.</EmptyState>}
    />
  )
}

function Name({ row, by, place, time }: Pick<Props, 'by' | 'place' | 'time'> & { row: UsageRow }) {
  const text = <Word text={nameOf(row, by, place)} />
  if (by === 'day') return <a href={hrefTo(['spend'], { ...place, ...dayQuery(Date.parse(row.period)) })}>{text}</a>
  const next = stepInto(row, by, place)
  return next ? <a href={hrefTo(['spend'], { ...next, ...time })}>{text}</a> : text
}

function Calls({ row, href }: { row: UsageRow; href: string | null }) {
  const text = formatNumber(row.calls)
  return href === null ? <>{text}</> : <a href={href}>{text}</a>
}

function Share({ share }: { share: number }) {
  return (
    <span class="share">
      <span class="share-track" aria-hidden="true">
        <span class="share-fill" style={{ width: `${share * 100}%` }} />
      </span>
      {formatShare(share)}
    </span>
  )
}

function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '–' : 'new'
  const share = (now - before) / before
  return share < 0 ? `−${formatShare(-share)}` : `+${formatShare(share)}`
}
