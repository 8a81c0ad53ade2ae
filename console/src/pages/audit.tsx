import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AuditEntry, AuditVerdict } from '../api-types.generated.ts'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/data-table.tsx'
import { TextField } from '../elements/field.tsx'
import { ErrorNotice, Notice } from '../elements/notice.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time.tsx'
import { formatNumber } from '../format.ts'
import { goTo, hrefTo, type Route } from '../router.ts'
import { useAction } from '../use-action.ts'
import { useQuery } from '../use-query.ts'

/** Who did what: every change, and every look at a record. */
export function AuditPage({ route }: { route: Route }) {
  const wanted = { action: route.query.get('action') ?? '', subject: route.query.get('subject') ?? '' }
  const name = JSON.stringify(wanted)
  const [cursor, setCursor] = useCursor(name)
  const query = useQuery(`audit ${name} ${cursor}`, (signal) =>
    api.get<{ entries: AuditEntry[]; next_cursor: string | null }>('/audit', { ...wanted, cursor, limit: 50 }, signal),
  )
  return (
    <>
      <PageHead title="Audit log" actions={<Verify />}>
        Entries are only ever added. Each carries the hash of the one before it.
      </PageHead>
      <Panel>
        <Filters key={name} {...wanted} />
        <Loaded query={query}>
          {(data) => (
            <>
              <Entries entries={data.entries} />
              <Pager next={data.next_cursor} cursor={cursor} onPage={setCursor} />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function Filters(present: { action: string; subject: string }) {
  const [action, setAction] = useState(present.action)
  const [subject, setSubject] = useState(present.subject)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    goTo(hrefTo(['audit'], { action: action.trim(), subject: subject.trim() }))
  }
  return (
    <form class="filters" role="search" aria-label="Filter the audit log" onSubmit={submit}>
      <TextField label="Action" value={action} onInput={setAction} placeholder="key.create" />
      <TextField label="Subject" value={subject} onInput={setSubject} placeholder="any" />
      <Button type="submit" icon="search">
        Filter
      </Button>
    </form>
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
        { label: 'Who', cell: ({ actor }) => actor },
        {
          label: 'Action',
          cell: ({ action }) => (
            <a class="mono" href={hrefTo(['audit'], { action })}>
              {action}
            </a>
          ),
        },
        {
          label: 'Subject',
          cell: ({ subject }) => (subject === null ? '–' : <a href={hrefTo(['audit'], { subject })}>{subject}</a>),
        },
        { label: 'Reason', cell: ({ reason }) => reason ?? '–' },
        { label: 'Change', cell: (entry) => <Change entry={entry} /> },
      ]}
      empty={<EmptyState title="No entry fits.">Every change of an operator leaves one here.</EmptyState>}
    />
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
        onClick={() => void action.run(async () => setVerdict(await api.get<AuditVerdict>('/audit/verify')))}
      >
        Verify
      </Button>
    </>
  )
}
