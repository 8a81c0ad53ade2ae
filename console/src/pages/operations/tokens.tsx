import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ListFilters, wantedOf, type Filter } from '../../elements/lists/list-filters.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/lists/pager.tsx'
import { ShownOnce } from '../../elements/dialogs/shown-once.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { useQuery } from '../../use-query.ts'
import { CreateToken } from './create-token.tsx'
import { useWish } from '../../router.ts'

type NewToken = AdminAnswer<'createToken'>
type Token = AdminAnswer<'listTokens'>['tokens'][number]

const filters: Filter[] = [
  { name: 'text', label: 'Token', placeholder: 'part of a label or id' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['', 'In use'],
      ['revoked', 'Revoked'],
    ],
  },
]

/** The list of admin tokens, with buttons to create and revoke one. */
export function TokensView({ query: address }: { query: URLSearchParams }) {
  const path = ['operations', 'tokens']
  const wanted = { state: 'active', ...wantedOf(address, filters) }
  const [cursor, setCursor] = useCursor(path, address)
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<NewToken | null>(null)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const query = useQuery(`tokens ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/tokens', { ...wanted, cursor, limit: 50 }, signal),
  )
  useWish({ token: () => setMaking(true) })
  const button = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New token
    </Button>
  )
  return (
    <Panel title="Who may use the admin API" actions={button}>
      <ListFilters label="Find tokens" path={path} query={address} filters={filters} />
      <Loaded query={query}>
        {(data) => (
          <>
            <TokenTable tokens={data.tokens} searched={address.size > 0} onRevoke={setRevoking} />
            <Pager
              next={data.next_cursor}
              cursor={cursor}
              onPage={setCursor}
              all={{ list: 'listTokens', shown: data.tokens.length, ask: wanted }}
            />
          </>
        )}
      </Loaded>
      {making ? (
        <CreateToken
          onMade={(token) => {
            setMade(token)
            setMaking(false)
            query.reload()
          }}
          onClose={() => setMaking(false)}
        />
      ) : null}
      {made ? <ShownToken made={made} onClose={() => setMade(null)} /> : null}
      {revoking ? (
        <ConfirmDialog
          title={`Revoke ${revoking.label || revoking.id}`}
          verb="Revoke token"
          word="revoke"
          onConfirm={async () => {
            await api.post('/tokens/:id/revoke', { id: revoking.id })
            query.reload()
          }}
          done={{ text: `${revoking.label || revoking.id} is revoked.` }}
          onClose={() => setRevoking(null)}
        >
          <p>The token stops working at once, and its sessions end. This cannot be undone.</p>
        </ConfirmDialog>
      ) : null}
    </Panel>
  )
}

interface TableProps {
  tokens: Token[]
  searched: boolean
  onRevoke: (token: Token) => void
}

function TokenTable({ tokens, searched, onRevoke }: TableProps) {
  return (
    <DataTable<Token>
      caption="Admin tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Token', head: true, cell: ({ label, id }) => <bdi>{label || id}</bdi> },
        { label: 'Role', cell: ({ role, project }) => (project ? `${role} of ${project}` : role) },
        { label: 'Made', cell: (token) => <Time at={token.created_at} /> },
        { label: 'Last used', cell: (token) => <Time at={token.last_used_at} ago /> },
        {
          label: 'State',
          cell: (token) =>
            token.revoked_at === null ? <Badge tone="good">in use</Badge> : <Badge tone="danger">revoked</Badge>,
        },
        {
          label: 'End',
          align: 'right',
          cell: (token) =>
            token.revoked_at === null ? (
              <Button small label={`Revoke ${token.label || token.id}`} onClick={() => onRevoke(token)}>
                Revoke
              </Button>
            ) : null,
        },
      ]}
      empty={
        <EmptyState title={searched ? 'No token matches.' : "There are no tokens but the owner's."}>
          Make one for each person and program, with the role that it needs.
        </EmptyState>
      }
    />
  )
}

function ShownToken({ made, onClose }: { made: NewToken; onClose: () => void }) {
  return (
    <ShownOnce
      title="Your new token"
      notice="Copy it now. Only a hash is kept, so nobody can show it again."
      text={made.token}
      label="the token"
      onClose={onClose}
    >
      <p class="faint">
        {made.role}, {made.project === null ? 'all projects' : `only ${made.project}`}
      </p>
    </ShownOnce>
  )
}
