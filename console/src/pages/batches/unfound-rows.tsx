import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer, OperatorBatch } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Pager } from '../../elements/lists/pager.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { hrefTo } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { fileName } from './batch-actions.tsx'

type UnfoundRow = AdminAnswer<'listUnfoundRows'>['rows'][number]

interface Page {
  rows: UnfoundRow[]
  next_cursor: string | null
}

const reasons: Record<string, string> = {
  not_found: 'no provider has it',
  invalid_request: 'not a slug, URL or id',
  required_fields_missing: 'no provider had what was required',
}

/** The rows that ended without a record, each with its reason, and their download. */
export function UnfoundRows({ batch }: { batch: OperatorBatch }) {
  const path = `/batches/${encodeURIComponent(batch.id)}/unfound`
  const [cursor, setCursor] = useState<string | null>(null)
  const { not_found: missing, invalid, failed } = batch.counts
  const action = useAction()
  const query = useQuery(`${path} ${cursor} ${missing + invalid + failed}`, (signal) =>
    api.get<Page>(path, { cursor, limit: 50 }, signal),
  )
  const save = () => api.download(path, `${fileName(batch)}-without-record.csv`, { format: 'csv' })
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

function RowTable({ rows }: { rows: UnfoundRow[] }) {
  return (
    <DataTable<UnfoundRow>
      caption="Rows without a record, in the order of the file"
      rows={rows}
      keyOf={({ row }) => String(row)}
      columns={[
        { label: 'Row', cell: ({ row }) => String(row) },
        { label: 'Given', head: true, cell: ({ input }) => <bdi>{input ?? 'not kept'}</bdi> },
        {
          label: 'State',
          cell: ({ status }) => (
            <Badge tone={status === 'failed' ? 'danger' : 'warning'}>{status.replaceAll('_', ' ')}</Badge>
          ),
        },
        { label: 'Reason', cell: ({ error }) => (error === null ? '–' : (reasons[error] ?? error)) },
        {
          label: 'Call',
          cell: ({ request_id: id }) => (id === null ? '–' : <a href={hrefTo(['calls', id])}>Receipt</a>),
        },
      ]}
      empty={<EmptyState title="Every row that was looked up has a record." />}
    />
  )
}
