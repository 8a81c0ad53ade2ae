import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer, OperatorBatch } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable, type Column } from '../../elements/lists/data-table.tsx'
import { Pager } from '../../elements/lists/pager.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { hrefTo } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { failureWords } from '../../build-words.ts'
import { Word } from '../../elements/word.tsx'
import { formatValue } from '../../format.ts'
import { fileName } from './batch-actions.tsx'

type UnfoundRow = AdminAnswer<'listUnfoundRows'>['rows'][number]

const reasons: Record<string, string> = {
  not_found: 'no provider has it',
  invalid_request: 'not a slug, URL or id',
  required_fields_missing: 'no provider had what was required',
}

/** The rows that ended without a record, each with its reason, and their download. */
export function UnfoundRows({ batch }: { batch: OperatorBatch }) {
  const { id } = batch
  const [cursor, setCursor] = useState<string | null>(null)
  const { not_found: missing, invalid, failed } = batch.counts
  const action = useAction()
  const query = useQuery(`unfound ${id} ${cursor} ${missing + invalid + failed}`, (signal) =>
    api.get('/batches/:id/unfound', { id, cursor, limit: 50 }, signal),
  )
  const save = () =>
    api.download('/batches/:id/unfound', `${fileName(batch).replace(/results$/, 'without-record')}.csv`, {
      id,
      format: 'csv',
    })
  const button = (
    <Button small busy={action.busy} onClick={() => void action.run(save)}>
      Download these rows
    </Button>
  )
  return (
    <Panel title="Rows without a record" actions={button}>
      <ErrorNotice error={action.error} />
      <Loaded query={query}>
        {({ rows, next_cursor: next }) => (
          <>
            <RowTable rows={rows} />
            <Pager next={next} cursor={cursor} onPage={setCursor} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** With more columns the table is too wide; the download has all of them. */
const columnsShown = 4

/** The columns of the file as columns of the table. A name that the table uses itself gets a mark. */
function fileColumns(rows: UnfoundRow[]): Column<UnfoundRow>[] {
  const all = new Set(rows.flatMap(({ columns }) => Object.keys(columns ?? {})))
  // The column with the ids is “Given”.
  const names = [...all].filter((name) => name !== '' && rows.some(({ columns, input }) => columns?.[name] !== input))
  return names.slice(0, columnsShown).map((name) => ({
    label: ['Row', 'Given', 'State', 'Reason', 'Call'].includes(name) ? `${name} (file)` : name,
    cell: ({ columns }) => <Word text={formatValue(columns?.[name]).slice(0, 300)} />,
  }))
}

function reasonOf({ detail, error }: UnfoundRow): string {
  if (detail !== null) return detail
  return error === null ? '–' : (reasons[error] ?? failureWords[error] ?? error)
}

function RowTable({ rows }: { rows: UnfoundRow[] }) {
  return (
    <DataTable<UnfoundRow>
      caption="Rows without a record, in the order of the file"
      rows={rows}
      keyOf={({ row }) => String(row)}
      columns={[
        { label: 'Row', cell: ({ row }) => String(row) },
        ...fileColumns(rows),
        { label: 'Given', head: true, cell: ({ input }) => <bdi>{input ?? 'not kept'}</bdi> },
        {
          label: 'State',
          cell: ({ status }) => (
            <Badge tone={status === 'failed' ? 'danger' : 'warning'}>{status.replaceAll('_', ' ')}</Badge>
          ),
        },
        { label: 'Reason', cell: (row) => <bdi>{reasonOf(row)}</bdi> },
        {
          label: 'Call',
          cell: ({ request_id: id }) =>
            id === null ? (
              '–'
            ) : (
              <a class="nowrap" href={hrefTo(['calls', id])}>
                Receipt
              </a>
            ),
        },
      ]}
      empty={<EmptyState title="Every row that was looked up has a record." />}
    />
  )
}
