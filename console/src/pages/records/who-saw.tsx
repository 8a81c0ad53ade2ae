import type { AdminAnswer, Call } from '@vitae/contract/admin'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge, SourceBadge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { Word } from '../../elements/word.tsx'
import { hrefTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import type { RecordView } from './record-view.ts'

type Entry = AdminAnswer<'listAudit'>['entries'][number]
/** An operator's entry in the audit log, or a call that was answered with the record. */
type Seen = { at: string; id: string } & ({ entry: Entry } | { call: Call })

const rowsAtOnce = 50

const actions: Record<string, string> = {
  'record.show': 'opened the record',
  'record.history': 'read its history',
  'record.diff': 'compared versions',
  'record.version': 'read a version',
  'record.export': 'exported the record',
  'record.refresh': 'refreshed the record',
  'record.lookup': 'looked it up',
  'record.plan_erasure': 'planned its erasure',
  'record.split': 'split the record',
}

/** Everyone who saw a record, newest first: operators from the audit log and callers from the call log. */
export function WhoSaw({ view: { kind, key } }: { view: RecordView }) {
  const [until, setUntil] = useState<number | null>(null)
  const query = useQuery(`seen ${kind} ${key} ${until}`, async (signal) => {
    const wanted = { kind, record: key, limit: rowsAtOnce, ...(until ? { until: new Date(until).toISOString() } : {}) }
    const [audit, calls] = await Promise.all([
      api.get('/audit', wanted, signal),
      api.get('/calls', { ...wanted, status: 200 }, signal),
    ])
    return merged(
      audit.entries.map((entry) => ({ at: entry.at, id: String(entry.id), entry })),
      calls.calls.map((call) => ({ at: call.at, id: call.request_id, call })),
      { isWhole: audit.next_cursor === null && calls.next_cursor === null },
    )
  })
  return (
    <Panel title="Who saw this">
      <Loaded query={query}>
        {({ rows, next }) => (
          <>
            <SeenTable rows={rows} />
            {until === null && next === null ? null : (
              <div class="pager">
                {until === null ? null : <Button onClick={() => setUntil(null)}>Newest</Button>}
                {next === null ? null : <Button onClick={() => setUntil(next)}>Earlier</Button>}
              </div>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/**
 * Joins a page of each log. Behind the end of the page that reaches back less, the other log's rows wait for the next
 * page, so that none is shown out of order or lost.
 */
function merged(entries: Seen[], calls: Seen[], { isWhole }: { isWhole: boolean }) {
  const atOf = ({ at }: Seen) => Date.parse(at)
  const all = [...entries, ...calls].toSorted((a, b) => atOf(b) - atOf(a))
  if (isWhole) return { rows: all, next: null }
  const ends = [entries, calls].flatMap((page) => (page.length < rowsAtOnce ? [] : page.slice(-1)))
  const end = Math.max(...ends.map(atOf))
  const rows = all.filter((row) => atOf(row) > end)
  // All rows of a page have the same time.
  return rows.length > 0 ? { rows, next: end + 1 } : { rows: all, next: end }
}

function SeenTable({ rows }: { rows: Seen[] }) {
  return (
    <DataTable<Seen>
      caption="Who saw this record, newest first"
      dense
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'When', head: true, cell: ({ at }) => <Time at={at} /> },
        { label: 'Who', cell: (row) => ('call' in row ? <Caller call={row.call} /> : <Operator entry={row.entry} />) },
        {
          label: 'As',
          cell: (row) => ('call' in row ? <Badge tone="accent">caller</Badge> : <Badge>operator</Badge>),
        },
        {
          label: 'What',
          cell: (row) =>
            'call' in row ? (
              <>
                <a href={hrefTo(['calls', row.call.request_id])}>was answered</a>{' '}
                <SourceBadge source={row.call.source} />
              </>
            ) : (
              (actions[row.entry.action] ?? row.entry.action)
            ),
        },
      ]}
      empty={<EmptyState title="Nobody has seen this record, as far as the logs go back." />}
    />
  )
}

function Caller({ call: { key_id: id, key_name: name, project, environment } }: { call: Call }) {
  return (
    <>
      <a href={hrefTo(['projects', 'key', id])}>
        <Word text={name} />
      </a>{' '}
      <span class="faint">
        <Word text={`${project}/${environment}`} />
      </span>
    </>
  )
}

function Operator({ entry: { actor, actor_name: name } }: { entry: Entry }) {
  return (
    <a title={actor} href={hrefTo(['audit'], { actor })}>
      <Word text={name ?? actor.replace(/^(person|address):/, '')} />
    </a>
  )
}
