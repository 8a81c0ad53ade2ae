import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { NewWebhook, Webhook } from '@vitae/contract/admin'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { ListFilters, projectFilter, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Word } from '../elements/word.tsx'
import { hrefTo, useWish, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { CreateWebhook } from './webhooks/create-webhook.tsx'
import { ShownSecret } from './webhooks/shown-secret.tsx'
import { WebhookDetails } from './webhooks/webhook-details.tsx'
import { WebhookState } from './webhooks/webhook-state.tsx'

const filters: Filter[] = [{ name: 'text', label: 'Find', placeholder: 'part of the URL' }, projectFilter]

/** The list of webhooks, or one webhook with its deliveries. */
export function WebhooksPage({ route }: { route: Route }) {
  const [id] = route.rest
  return id === undefined ? <WebhookList query={route.query} /> : <WebhookDetails key={id} id={id} />
}

function WebhookList({ query: address }: { query: URLSearchParams }) {
  const mayCreate = useCan('createWebhook')
  const [creating, setCreating] = useState(false)
  useWish({ add: () => setCreating(true) })
  const [made, setMade] = useState<NewWebhook | null>(null)
  const [cursor, setCursor] = useCursor(['webhooks'], address)
  const wanted = wantedOf(address, filters)
  const query = useQuery(
    `webhooks ${JSON.stringify(wanted)} ${cursor}`,
    (signal) => api.get('/webhooks', { ...wanted, cursor, limit: 50 }, signal),
    { pollMs: 15_000 },
  )
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  return (
    <>
      <PageHead title="Webhooks" actions={mayCreate ? create : null}>
        Endpoints that are notified of what happens: job changes, low credits, outages. Each request is signed.
      </PageHead>
      <Panel>
        <ListFilters label="Find webhooks" path={['webhooks']} query={address} filters={filters} />
        <Loaded query={query}>
          {({ webhooks, next_cursor: next }) => (
            <>
              <WebhookTable rows={webhooks} />
              <Pager
                next={next}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listWebhooks', shown: webhooks.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {creating ? (
        <CreateWebhook
          onMade={(webhook) => {
            setCreating(false)
            setMade(webhook)
            query.reload()
          }}
          onClose={() => setCreating(false)}
        />
      ) : null}
      {made ? <ShownSecret secret={made.secret} onClose={() => setMade(null)} /> : null}
    </>
  )
}

function WebhookTable({ rows }: { rows: Webhook[] }) {
  return (
    <DataTable<Webhook>
      caption="Webhooks"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'URL', head: true, cell: ({ id, url }) => <a href={hrefTo(['webhooks', id])}>{url}</a> },
        {
          label: 'Environment',
          cell: ({ project, environment }) => <Word text={`${project}/${environment ?? 'all'}`} />,
        },
        { label: 'Events', cell: ({ events }) => events.join(', ') },
        { label: 'Format', cell: ({ format }) => format },
        { label: 'State', cell: (row) => <WebhookState webhook={row} /> },
      ]}
      empty={<EmptyState title="There are no webhooks.">“New webhook” makes one.</EmptyState>}
    />
  )
}
