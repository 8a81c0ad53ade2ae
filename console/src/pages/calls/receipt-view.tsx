import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge, SourceBadge, StatusBadge } from '../../elements/badge.tsx'
import { CopyButton } from '../../elements/copy-button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Notice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatCredits, formatMs, formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { CallExplanation } from './call-explanation.tsx'

type Receipt = AdminAnswer<'showReceipt'>

/** The receipt of a call: the request, the result and every ledger entry it caused. */
export function ReceiptView({ requestId }: { requestId: string }) {
  const query = useQuery(`receipt ${requestId}`, (signal) =>
    api.get('/receipts/:request_id', { request_id: requestId }, signal),
  )
  return (
    <>
      <Back to={['calls']}>Calls</Back>
      <PageHead
        title="Receipt"
        actions={
          <>
            {query.data ? <Remedy receipt={query.data} /> : null}
            <CopyButton text={requestId} label="request id" />
          </>
        }
      >
        <code>{requestId}</code>
      </PageHead>
      <Loaded query={query}>
        {(receipt) => (
          <>
            {receipt.status === null ? (
              <>
                <Notice>This call is still running.</Notice>
                <Call receipt={receipt} />
              </>
            ) : (
              <CallExplanation requestId={requestId}>
                <Call receipt={receipt} />
              </CallExplanation>
            )}
            <Panel title="Ledger entries">
              <Entries entries={receipt.entries} />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  )
}

/** The way to the form that lets the next call pass, for a call that was refused because credits were spent. */
function Remedy({ receipt: { code, key, project, environment } }: { receipt: Receipt }) {
  const mayRaise = useCan('updateKey')
  const mayGrant = useCan('grantCredits')
  if (code === 'credit_ceiling_reached' && mayRaise)
    return (
      <a class="button primary" href={hrefTo(['projects', 'key', key.id], { do: 'edit' })}>
        Raise the ceiling
      </a>
    )
  if (code === 'out_of_credits' && mayGrant)
    return (
      <a class="button primary" href={hrefTo(['projects', 'in', project, environment])}>
        See its credits and budget
      </a>
    )
  return null
}

function Call({ receipt }: { receipt: Receipt }) {
  return (
    <Panel
      title="The call"
      actions={
        receipt.entity ? <a href={hrefTo(['calls'], { record: receipt.entity })}>All calls of this record</a> : null
      }
    >
      <Facts receipt={receipt} />
    </Panel>
  )
}

function Facts({ receipt }: { receipt: Receipt }) {
  return (
    <dl class="facts panel-body">
      <dt>Answer</dt>
      <dd>{receipt.status === null ? '–' : <StatusBadge status={receipt.status} code={receipt.code} />}</dd>
      <dt>Source</dt>
      <dd>
        <SourceBadge source={receipt.source} />
      </dd>
      <dt>Charged</dt>
      <dd>{formatCredits(receipt.credits)}</dd>
      <dt>When</dt>
      <dd>
        <Time at={receipt.at} />
      </dd>
      <dt>Took</dt>
      <dd>{formatMs(receipt.duration_ms)}</dd>
      <dt>Environment</dt>
      <dd>
        <a href={hrefTo(['projects', 'in', receipt.project, receipt.environment])}>
          {receipt.project}/{receipt.environment}
        </a>
      </dd>
      <dt>Key</dt>
      <dd>
        <a href={hrefTo(['projects', 'key', receipt.key.id])}>{receipt.key.label || receipt.key.display}</a>
        {receipt.mode ? `, ${receipt.mode}` : ''}
      </dd>
      <dt>Spend tag</dt>
      <dd>{receipt.tag ?? 'none'}</dd>
      <dt>Record</dt>
      <dd>
        <Entity receipt={receipt} />
      </dd>
      {receipt.replay_of ? (
        <>
          <dt>Replay of</dt>
          <dd>
            <a href={hrefTo(['calls', receipt.replay_of])}>{receipt.replay_of}</a>, which paid
          </dd>
        </>
      ) : null}
    </dl>
  )
}

function Entity({ receipt: { entity, endpoint } }: { receipt: Receipt }) {
  const { project } = useSession()
  if (entity === null || endpoint === null) return <>{endpoint ?? '–'}</>
  return project === null ? (
    <a class="mono" href={hrefTo(['records', endpoint, entity])}>
      {entity}
    </a>
  ) : (
    <code>{entity}</code>
  )
}

function Entries({ entries }: Pick<Receipt, 'entries'>) {
  return (
    <DataTable<Receipt['entries'][number]>
      caption="Ledger entries of this call"
      rows={entries}
      keyOf={({ id }) => String(id)}
      columns={[
        { label: 'Entry', head: true, cell: ({ kind }) => <Badge>{kind}</Badge> },
        { label: 'When', cell: ({ at }) => <Time at={at} /> },
        { label: 'Amount', align: 'right', cell: ({ amount }) => formatNumber(amount) },
        { label: 'Ends a hold of', align: 'right', cell: (entry) => formatNumber(entry.held_amount) },
        { label: 'Month', cell: ({ month }) => month ?? '–' },
      ]}
      empty={<EmptyState title="This call moved no credits." />}
    />
  )
}
