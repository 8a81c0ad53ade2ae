import type { PricePreview } from '@vitae/contract/admin'
import { api } from '../../api.ts'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { formatNumber } from '../../format.ts'
import { useQuery } from '../../use-query.ts'

type Cost = PricePreview['projects'][number]

const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The cost of the last month's calls with a book, by project. */
export function BookPreview({ book: { lines, parts = [] } }: { book: { lines: unknown[]; parts?: unknown } }) {
  const query = useQuery(`price preview ${JSON.stringify([lines, parts])}`, () =>
    api.post('/prices/preview', { lines, parts }),
  )
  return (
    <section class="book-preview">
      <h3>Last month with this book</h3>
      <Loaded query={query}>{(preview) => <Costs preview={preview} />}</Loaded>
    </section>
  )
}

function Costs({ preview }: { preview: PricePreview }) {
  const { month, calls, charged, at_least, at_most, projects, more, removed_calls: removed } = preview
  const all = { project: '', calls, charged, at_least, at_most }
  return (
    <>
      <p class="faint">
        Credits for the answered calls of {months.format(new Date(`${month}-01`))} (UTC), from their receipts.
        {at_least < at_most
          ? ' The receipts lack a fact that this book asks for, so some figures are only a limit: “at most”.'
          : null}
        {removed > 0 ? ` Retention has removed ${formatNumber(removed)} calls. They are not counted.` : null}
      </p>
      <DataTable<Cost>
        caption="Cost of the last month with this book"
        rows={projects.length > 0 ? [all, ...projects] : []}
        keyOf={({ project }) => project}
        columns={[
          {
            label: 'Project',
            head: true,
            cell: ({ project }) => (project === '' ? 'All projects' : <bdi>{project}</bdi>),
          },
          { label: 'Calls', align: 'right', cell: (cost) => formatNumber(cost.calls) },
          { label: 'Charged', align: 'right', cell: (cost) => formatNumber(cost.charged) },
          { label: 'With this book', align: 'right', cell: (cost) => <span class="nowrap">{newCost(cost)}</span> },
          { label: 'Change', align: 'right', cell: (cost) => <span class="nowrap">{change(cost)}</span> },
        ]}
        empty={<EmptyState title="There were no answered calls in that month." />}
      />
      {more > 0 ? <p class="table-note">{formatNumber(more)} more projects are only in the sum.</p> : null}
    </>
  )
}

const limit = ({ at_least, at_most }: Cost) => (at_least < at_most ? 'at most ' : '')
const newCost = (cost: Cost) => `${limit(cost)}${formatNumber(cost.at_most)}`

function change(cost: Cost): string {
  const more = cost.at_most - cost.charged
  return more === 0 ? `${limit(cost)}±0` : `${limit(cost)}${more > 0 ? '+' : '−'}${formatNumber(Math.abs(more))}`
}
