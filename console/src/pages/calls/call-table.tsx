import type { ComponentChildren } from 'preact'
import type { Call } from '@vitae/contract/admin'
import { Badge, SourceBadge, StatusBadge } from '../../elements/badge.tsx'
import { DataTable, type Column } from '../../elements/lists/data-table.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { Word } from '../../elements/word.tsx'
import { formatMs, formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'

/** The rows of a page of calls. */
export const callsAtOnce = 50

/** A table of calls, of all records or of one, with links to receipt, record and key. */
export function CallTable({
  calls,
  of = 'all',
  empty,
}: {
  calls: Call[]
  of?: 'all' | 'record'
  empty: ComponentChildren
}) {
  const mayRead = useCan('searchRecords')
  return (
    <DataTable<Call>
      caption="Calls, newest first"
      dense
      rows={calls}
      keyOf={({ request_id }) => request_id}
      columns={[
        ...answerColumns(),
        ...(of === 'record'
          ? []
          : [{ label: 'Record', cell: (call: Call) => <Entity call={call} mayRead={mayRead} /> }]),
        { label: 'Key', cell: (call) => <KeyName call={call} /> },
        ...(calls.some(({ tag }) => tag !== null)
          ? [{ label: 'Spend tag', cell: ({ tag }: Call) => (tag === null ? '–' : <Word text={tag} />) }]
          : []),
        { label: 'Environment', cell: ({ project, environment }) => <Word text={`${project}/${environment}`} /> },
        { label: 'Credits', align: 'right', cell: (call) => <Credits call={call} /> },
        tookColumn,
      ]}
      empty={empty}
    />
  )
}

function KeyName({ call: { key_id: id, key_name: name, mode } }: { call: Call }) {
  return (
    <>
      <a href={hrefTo(['projects', 'key', id])}>
        <Word text={name} />
      </a>{' '}
      {mode === 'test' ? <Badge>test</Badge> : null}
    </>
  )
}

function Credits({ call: { credits, replay_of: first } }: { call: Call }) {
  return first === null ? <>{formatNumber(credits)}</> : <span title={`A free repeat of ${first}`}>0, a repeat</span>
}

function Entity({ call: { kind, entity_key: key, entity_name: name }, mayRead }: { call: Call; mayRead: boolean }) {
  const noun = kind === 'people' ? 'person' : 'company'
  if (key === null) return <span class="faint">{noun}</span>
  const shown = name === null ? <Word text={`${noun} ${key.replace(/^urn:li:member:/, '')}`} /> : <bdi>{name}</bdi>
  if (!mayRead) return shown
  return (
    <a href={hrefTo(['records', kind, key])} title={key}>
      {shown}
    </a>
  )
}

/** Explains why a list of calls is empty. */
export function NoCalls({ filtered, more }: { filtered: boolean; more: boolean }) {
  if (more) return <EmptyState title="None among the newest 500,000 calls.">“Next page” looks further back.</EmptyState>
  if (filtered)
    return <EmptyState title="No call matches these filters.">Remove a filter, or wait for new calls.</EmptyState>
  return (
    <EmptyState title="No call yet.">
      Make one in the <a href="#/playground">Playground</a>.
    </EmptyState>
  )
}

/** The columns for time and result of a call, with a link to its receipt. */
export function answerColumns({ ago = false } = {}): Column<Call>[] {
  return [
    {
      label: 'When',
      head: true,
      cell: (call) => (
        <a href={hrefTo(['calls', call.request_id])}>
          <Time at={call.at} ago={ago} />
        </a>
      ),
    },
    { label: 'Answer', cell: (call) => <StatusBadge status={call.status} code={call.code} /> },
    { label: 'Source', cell: ({ source }) => <SourceBadge source={source} /> },
  ]
}

export const tookColumn: Column<Call> = {
  label: 'Took',
  align: 'right',
  cell: (call) => <span class="nowrap">{formatMs(call.duration_ms)}</span>,
}
