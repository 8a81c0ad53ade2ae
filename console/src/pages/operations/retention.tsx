import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Notice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber } from '../../format.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

type RetentionPlan = AdminAnswer<'planRetention'>

type Counts = RetentionPlan['would_remove']
type Rules = RetentionPlan['rules']

const things: [name: keyof Counts, text: string][] = [
  ['payloads', 'Raw payloads'],
  ['versions', 'Versions of records'],
  ['entities', 'Whole records'],
  ['fetches', 'Provider requests'],
  ['calls', 'Calls of the log'],
  ['misses', 'Remembered “not found” answers'],
]
const limits: [name: Exclude<keyof Rules, 'per_provider'>, text: string, variable: string][] = [
  ['raw_days', 'Raw payloads', 'VITAE_RAW_DAYS'],
  ['history_days', 'Older versions', 'VITAE_HISTORY_DAYS'],
  ['record_days', 'Records', 'VITAE_RECORD_DAYS'],
  ['unused_record_days', 'Records that nobody asks for', 'VITAE_UNUSED_RECORD_DAYS'],
  ['call_log_days', 'Calls', 'VITAE_CALL_LOG_DAYS'],
]

/** Shows the retention rules and the rows due for removal, and removes them on request. */
export function RetentionView() {
  const mayRun = useCan('runRetention')
  const [asking, setAsking] = useState(false)
  const [removed, setRemoved] = useState<Counts | null>(null)
  const query = useQuery('retention', (signal) => api.get('/retention/plan', {}, signal))
  const due = query.data ? sum(query.data.would_remove) : 0
  const button = mayRun ? (
    <Button kind="danger" disabled={due === 0} onClick={() => setAsking(true)}>
      Remove now
    </Button>
  ) : null
  return (
    <>
      {removed ? <Notice tone="good">{formatNumber(sum(removed))} rows were removed.</Notice> : null}
      <Loaded query={query}>
        {({ rules, would_remove: counts }) => (
          <div class="columns">
            <Panel title="What a run would remove now" actions={button}>
              <Removal counts={counts} />
            </Panel>
            <Panel title="How long data is kept">
              <RuleList rules={rules} />
            </Panel>
          </div>
        )}
      </Loaded>
      {asking ? (
        <ConfirmDialog
          title="Remove what is older than the rules allow"
          verb="Remove"
          word="remove"
          onConfirm={async () => {
            setRemoved((await api.post('/retention/run')).removed)
            query.reload()
          }}
          onClose={() => setAsking(false)}
        >
          <p>{formatNumber(due)} rows are removed for good. The ledger is never touched.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

function Removal({ counts }: { counts: Counts }) {
  const rows = things.map(([name, text]) => ({ name, text, count: counts[name] }))
  return (
    <DataTable<(typeof rows)[number]>
      caption="What a run would remove now"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { label: 'What', head: true, cell: ({ text }) => text },
        { label: 'Rows', align: 'right', cell: ({ count }) => formatNumber(count) },
      ]}
      empty={<EmptyState title="Nothing." />}
    />
  )
}

function RuleList({ rules }: { rules: Rules }) {
  const text = (days: number | null | undefined) =>
    days === null || days === undefined ? 'for ever' : `${formatNumber(days)} days`
  const own = Object.entries(rules.per_provider).flatMap(([provider, days]) =>
    Object.entries(days).flatMap(([name, value]) => (value === null ? [] : [{ provider, name, value }])),
  )
  return (
    <dl class="facts panel-body">
      {limits.map(([name, label, variable]) => (
        <Fragment key={name}>
          <dt>{label}</dt>
          <dd>
            {text(rules[name])}{' '}
            <code class="faint">
              <Word text={variable} />
            </code>
          </dd>
        </Fragment>
      ))}
      {own.map(({ provider, name, value }) => (
        <Fragment key={`${provider} ${name}`}>
          <dt>{provider}</dt>
          <dd>
            {name.replace('_days', '')}: {text(value)}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
