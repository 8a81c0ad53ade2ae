import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { ListFilters, projectFilter, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { ErrorNotice, Notice } from '../elements/notice.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow } from '../elements/time/time-window.ts'
import { Word } from '../elements/word.tsx'
import { formatNumber } from '../format.ts'
import { hrefTo, type Route } from '../router.ts'
import { useAction } from '../use-action.ts'
import { useQuery } from '../use-query.ts'

type AuditEntry = AdminAnswer<'listAudit'>['entries'][number]
type AuditVerdict = AdminAnswer<'verifyAudit'>

const others: Filter[] = [
  { name: 'record', label: 'Record', placeholder: 'read or changed: slug, URL or id' },
  projectFilter,
  { name: 'subject', label: 'Subject' },
]
const fields = [{ name: 'actor' }, { name: 'action' }, ...others]

/** The filters, with the actors and actions of the log as choices. */
function useFilters(chosen: Record<string, string>): Filter[] {
  const { data } = useQuery('choices of the audit log', (signal) => api.get('/audit/choices', {}, signal))
  const actors = (data?.actors ?? []).map(({ actor, actor_name }) => [actor, nameOf(actor, actor_name)] as const)
  const actions = (data?.actions ?? []).map((action) => [action, action] as const)
  return [
    { name: 'actor', label: 'Who', options: choices('Anyone', actors, chosen['actor']) },
    { name: 'action', label: 'Action', options: choices('Any', actions, chosen['action']) },
    ...others,
  ]
}

/** The chosen value stays in the list while the others load, and if the log has too many. */
function choices(any: string, known: (readonly [string, string])[], chosen = ''): (readonly [string, string])[] {
  const isKnown = chosen === '' || known.some(([value]) => value === chosen)
  return [['', any], ...(isKnown ? [] : [[chosen, chosen] as const]), ...known]
}

function nameOf(actor: string, label: string | null): string {
  return label ?? actor.replace(/^(person|address):/, '')
}

/** The audit log: every change and every read of a record, with the person or token behind it. */
export function AuditPage({ route: { query: address } }: { route: Route }) {
  const chosen = wantedOf(address, fields)
  const filters = useFilters(chosen)
  const window = readWindow(address, 'any')
  const { since, until } = window
  const wanted = { ...chosen, kind: address.get('kind'), since, until }
  const [cursor, setCursor] = useCursor(['audit'], address)
  const query = useQuery(`audit ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/audit', { ...wanted, cursor, limit: 50 }, signal),
  )
  return (
    <>
      <PageHead
        title="Audit log"
        actions={
          <>
            <TimePicker path={['audit']} keep={chosen} window={window} mayBeAny />
            <Verify />
          </>
        }
      >
        Entries are only ever added. Each carries the hash of the one before it.
      </PageHead>
      <Panel>
        <ListFilters
          label="Filter the audit log"
          path={['audit']}
          query={address}
          filters={filters}
          keep={window.query}
        />
        <Loaded query={query}>
          {(data) => (
            <>
              <Entries entries={data.entries} />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listAudit', shown: data.entries.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <DataTable<AuditEntry>
      caption="Audit log, newest first"
      rows={entries}
      keyOf={({ id }) => String(id)}
      columns={[
        { label: 'When', head: true, cell: ({ at }) => <Time at={at} /> },
        {
          label: 'Who',
          cell: ({ actor, actor_name }) => (
            <a dir="auto" title={actor} href={hrefTo(['audit'], { actor })}>
              <Word text={nameOf(actor, actor_name)} />
            </a>
          ),
        },
        {
          label: 'Action',
          cell: ({ action }) => (
            <a class="mono" href={hrefTo(['audit'], { action })}>
              <Word text={action} />
            </a>
          ),
        },
        { label: 'Subject', cell: (entry) => <Subject of={entry} /> },
        { label: 'Reason', cell: ({ reason }) => reason ?? '–' },
        { label: 'Change', cell: (entry) => <Change entry={entry} /> },
      ]}
      empty={<EmptyState title="No entry matches.">Every change by an operator adds an entry.</EmptyState>}
    />
  )
}

/** Shows a record by its name, any other subject by the text in the log. */
function Subject({ of: { subject, record } }: { of: AuditEntry }) {
  if (record)
    return (
      <a dir="auto" href={hrefTo(['audit'], { record: record.key, kind: record.kind })}>
        {record.name ?? record.key}
      </a>
    )
  return subject === null ? (
    <>–</>
  ) : (
    <a href={hrefTo(['audit'], { subject })}>
      <Word text={subject} />
    </a>
  )
}

function Change({ entry: { before, after } }: { entry: AuditEntry }) {
  if ((before ?? null) === null && (after ?? null) === null) return <>–</>
  return (
    <details class="change">
      <summary>Show</summary>
      {(before ?? null) === null ? null : <pre>before {JSON.stringify(before, null, 2)}</pre>}
      {(after ?? null) === null ? null : <pre>after {JSON.stringify(after, null, 2)}</pre>}
    </details>
  )
}

function Verify() {
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null)
  const action = useAction()
  return (
    <>
      {action.error ? <ErrorNotice error={action.error} /> : null}
      {verdict ? (
        <Notice tone={verdict.ok ? 'good' : 'danger'}>
          {verdict.ok
            ? `All ${formatNumber(verdict.checked)} entries follow from each other.`
            : `Entry ${verdict.broken_at} does not follow from the one before it.`}
        </Notice>
      ) : null}
      <Button
        busy={action.busy}
        onClick={() => void action.run(async () => setVerdict(await api.get('/audit/verify')))}
      >
        Verify
      </Button>
    </>
  )
}
