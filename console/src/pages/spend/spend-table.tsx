import { DataTable } from '../../elements/lists/data-table.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber, formatShare } from '../../format.ts'
import { callsHref, groups, type Group, type Sum } from './groups.ts'

interface Props {
  by: Group
  since: string
  sums: Sum[]
  /** The time of the same length before; null where the groups are times themselves. */
  earlier: Sum[] | null
}

/** The sums of each group, what they were in the time before, and the calls behind them. */
export function SpendTable({ by, since, sums, earlier }: Props) {
  const all = sums.reduce((total, { credits }) => total + credits, 0)
  const before = new Map(earlier?.map(({ name, credits }) => [name, credits]))
  return (
    <DataTable<Sum>
      caption="Calls and credits, most credits first"
      rows={sums}
      keyOf={({ name }) => name}
      columns={[
        {
          label: groups.find(([name]) => name === by)?.[1] ?? '',
          head: true,
          cell: ({ name }) => <Word text={name} />,
        },
        { label: 'Calls', align: 'right', cell: (sum) => <Calls sum={sum} href={callsHref(sum, by, since)} /> },
        { label: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
        { label: 'Share', align: 'right', cell: ({ credits }) => formatShare(all === 0 ? 0 : credits / all) },
        ...(earlier === null
          ? []
          : [
              {
                label: 'Time before',
                align: 'right' as const,
                cell: ({ name }: Sum) => formatNumber(before.get(name) ?? 0),
              },
              {
                label: 'Change',
                align: 'right' as const,
                cell: ({ name, credits }: Sum) => changeText(credits, before.get(name) ?? 0),
              },
            ]),
      ]}
      empty={<EmptyState title="No live call in this time.">Choose a longer one.</EmptyState>}
    />
  )
}

function Calls({ sum, href }: { sum: Sum; href: string | null }) {
  const text = formatNumber(sum.calls)
  return href === null ? <>{text}</> : <a href={href}>{text}</a>
}

function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '–' : 'new'
  const share = (now - before) / before
  return share < 0 ? `−${formatShare(-share)}` : `+${formatShare(share)}`
}
