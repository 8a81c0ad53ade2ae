import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { OperatorBatch } from '@vitae/contract/admin'
import { MeterBar } from '../../elements/charts/meter-bar.tsx'
import { Notice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { Tile } from '../../elements/tile.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatNumber, formatSpan } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { BatchActions } from './batch-actions.tsx'
import { UnfoundRows } from './unfound-rows.tsx'
import { BatchState, isOver, rowsDone } from './batch-state.tsx'

/** One batch with its progress, cost, pause reason and results. */
export function BatchDetails({ id }: { id: string }) {
  const mayRead = useCan('listUnfoundRows')
  const [live, setLive] = useState(true)
  const query = useQuery(`batch ${id}`, (signal) => api.get('/batches/:id', { id }, signal), {
    pollMs: live ? 2_000 : 0,
  })
  const { data } = query
  useEffect(() => setLive(data === null || !isOver(data)), [data])
  return (
    <>
      <Back to={['batches']}>Batches</Back>
      <PageHead
        title={data?.name ?? 'Batch'}
        actions={data ? <BatchActions batch={data} onChange={query.reload} /> : null}
      >
        <code>{id}</code>
      </PageHead>
      <Loaded query={query}>
        {(batch) => (
          <>
            <Waiting batch={batch} />
            <Counts batch={batch} />
            <Facts batch={batch} />
            {mayRead && batch.counts.not_found + batch.counts.invalid + batch.counts.failed > 0 ? (
              <UnfoundRows batch={batch} />
            ) : null}
          </>
        )}
      </Loaded>
    </>
  )
}

function Waiting({ batch }: { batch: OperatorBatch }) {
  const { pause_reason: reason, resumed_by: how, resumes_at: at, error } = batch
  if (error !== null)
    return (
      <Notice tone="danger">
        The batch failed: <code>{error}</code>. The results so far are below.
      </Notice>
    )
  if (reason === null) return null
  return (
    <Notice tone="warning">
      <p>
        It is paused: <code>{reason}</code>. {how}
      </p>
      {at ? (
        <p class="faint">
          Tried again <Time at={at} ago />.
        </p>
      ) : null}
    </Notice>
  )
}

function Counts({ batch }: { batch: OperatorBatch }) {
  const { counts, credits_spent: spent, max_credits: most, seconds_left: left, status } = batch
  return (
    <div class="tiles">
      <Tile label="Found" value={formatNumber(counts.found)} tone="good" />
      <Tile label="Not found" value={formatNumber(counts.not_found)} />
      <Tile label="Invalid identifier" value={formatNumber(counts.invalid)} />
      <Tile
        label="Failed"
        value={formatNumber(counts.failed)}
        {...(counts.failed ? { tone: 'danger' as const } : {})}
      />
      <Tile label="Waiting" value={formatNumber(counts.waiting)}>
        {status === 'running' && left !== null ? `about ${formatSpan(left)} left` : null}
      </Tile>
      <Tile label="Credits spent" value={formatNumber(spent)}>
        {most === null ? 'no limit' : `of at most ${formatNumber(most)}`}
      </Tile>
    </div>
  )
}

function Facts({ batch }: { batch: OperatorBatch }) {
  const { project, environment, key_id: keyId, key_label: label } = batch
  return (
    <Panel title="Progress">
      <dl class="facts panel-body">
        <dt>State</dt>
        <dd>
          <BatchState batch={batch} />
        </dd>
        <dt>Rows</dt>
        <dd>
          <MeterBar work label="Rows done" used={rowsDone(batch)} limit={batch.total} />
        </dd>
        <dt>Looks up</dt>
        <dd>{batch.kind}</dd>
        <dt>Paid by</dt>
        <dd>
          <a href={hrefTo(['projects', 'key', keyId])}>{label || keyId}</a> of{' '}
          <a href={hrefTo(['projects', 'in', project, environment])}>
            {project}/{environment}
          </a>
          , {batch.mode}
        </dd>
        <dt>Submitted</dt>
        <dd>
          <Time at={batch.created_at} />
        </dd>
        <dt>Ended</dt>
        <dd>{batch.ended_at ? <Time at={batch.ended_at} /> : 'not yet'}</dd>
        <dt>Kept until</dt>
        <dd>{batch.expires_at ? <Time at={batch.expires_at} /> : 'some days after its end'}</dd>
      </dl>
    </Panel>
  )
}
