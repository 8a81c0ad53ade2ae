import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../elements/badge.tsx'
import { Button } from '../elements/button.tsx'
import { ConfirmDialog } from '../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { ListFilters, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import type { Route } from '../router.ts'
import { useQuery } from '../use-query.ts'

type SessionRow = AdminAnswer<'listSessions'>['sessions'][number]

/** The session to end, or with `all` every session of its person. */
interface Ending {
  row: SessionRow
  all: boolean
}

const filters: Filter[] = [{ name: 'text', label: 'Who', placeholder: 'part of the name' }]

/** The list of signed-in sessions, with person, address and start. */
export function SessionsPage({ route: { query: address } }: { route: Route }) {
  const [ending, setEnding] = useState<Ending | null>(null)
  const wanted = wantedOf(address, filters)
  const [cursor, setCursor] = useCursor(['sessions'], address)
  const query = useQuery(
    `sessions ${JSON.stringify(wanted)} ${cursor}`,
    (signal) => api.get('/sessions', { ...wanted, cursor, limit: 50 }, signal),
    { pollMs: 15_000 },
  )
  return (
    <>
      <PageHead title="Sessions">
        Sessions of the console. Ending a session takes effect at once, on every node.
      </PageHead>
      <Panel>
        <ListFilters label="Find sessions" path={['sessions']} query={address} filters={filters} />
        <Loaded query={query}>
          {({ sessions, next_cursor }) => (
            <>
              <SessionTable rows={sessions} onEnd={setEnding} />
              <Pager
                next={next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listSessions', shown: sessions.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {ending ? <EndDialog {...ending} onDone={query.reload} onClose={() => setEnding(null)} /> : null}
    </>
  )
}

function SessionTable({ rows, onEnd }: { rows: SessionRow[]; onEnd: (ending: Ending) => void }) {
  return (
    <DataTable<SessionRow>
      caption="Sessions, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Who', head: true, cell: (row) => <Who row={row} /> },
        { label: 'Role', cell: ({ role, project }) => (project ? `${role} of ${project}` : role) },
        { label: 'Signed in by', cell: ({ method }) => (method === 'token' ? 'admin token' : 'single sign-on') },
        { label: 'From', cell: (row) => <span title={row.user_agent ?? ''}>{fromText(row)}</span> },
        { label: 'Since', cell: (row) => <Time at={row.created_at} /> },
        { label: 'Last used', cell: (row) => <Time at={row.last_used_at} ago /> },
        { label: 'End', align: 'right', cell: (row) => <EndButtons row={row} rows={rows} onEnd={onEnd} /> },
      ]}
      empty={<EmptyState title="Nobody is signed in." />}
    />
  )
}

function Who({ row }: { row: SessionRow }) {
  return (
    <>
      <bdi title={row.actor}>{nameOf(row)}</bdi> {row.current ? <Badge tone="good">this session</Badge> : null}
    </>
  )
}

/** The name of the person or token, or the actor without a name. */
function nameOf({ actor, actor_name }: SessionRow): string {
  return actor_name ?? actor.replace(/^person:/, '')
}

/** The IP address, browser and operating system of a session. */
function fromText({ address, user_agent: agent }: SessionRow): string {
  const browser = /Edg|OPR|Firefox|Chrome|Safari|curl/.exec(agent ?? '')?.[0]
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(agent ?? '')?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' }
  const words = [browser && (names[browser] ?? browser), system].filter(Boolean)
  return [address ?? 'unknown', words.join(' on ')].filter(Boolean).join(', ')
}

function EndButtons({ row, rows, onEnd }: { row: SessionRow; rows: SessionRow[]; onEnd: (ending: Ending) => void }) {
  const others = rows.filter(({ actor }) => actor === row.actor).length > 1
  const name = nameOf(row)
  return (
    <>
      <Button small label={`End the session of ${name}`} onClick={() => onEnd({ row, all: false })}>
        End
      </Button>
      {others ? (
        <Button small label={`End all sessions of ${name}`} onClick={() => onEnd({ row, all: true })}>
          End all
        </Button>
      ) : null}
    </>
  )
}

function EndDialog({ row, all, onDone, onClose }: Ending & { onDone: () => void; onClose: () => void }) {
  const name = nameOf(row)
  return (
    <ConfirmDialog
      title={all ? `End all sessions of ${name}` : `End a session of ${name}`}
      verb={all ? 'End all' : 'End session'}
      word={null}
      askReason="optional"
      onConfirm={async (reason) => {
        const why = reason ? { reason } : {}
        if (all) await api.post('/sessions/end', { person: row.actor, ...why })
        else await api.post('/sessions/:id/end', { id: row.id, ...why })
        onDone()
      }}
      done={{ text: all ? `All sessions of ${name} have ended.` : `The session of ${name} has ended.` }}
      onClose={onClose}
    >
      <p>
        They are signed out at once. They can sign in again unless you remove them from their group or revoke their
        token.
      </p>
    </ConfirmDialog>
  )
}
