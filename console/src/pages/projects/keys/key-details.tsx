import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import type { Key, NewKey } from '@vitae/contract/admin'
import { Button } from '../../../elements/button.tsx'
import { ConfirmDialog } from '../../../elements/dialogs/confirm-dialog.tsx'
import { Back, PageHead, Panel } from '../../../elements/page-head.tsx'
import { Loaded } from '../../../elements/states.tsx'
import { Time } from '../../../elements/time/time.tsx'
import { hrefTo, useWish } from '../../../router.ts'
import { useCan } from '../../../session.tsx'
import { useQuery } from '../../../use-query.ts'
import { EditKey } from './edit-key.tsx'
import { KeyUsage } from './key-usage.tsx'
import { isAlive, KeySpend, KeyState } from './key-state.tsx'
import { RotateKey } from './rotate-key.tsx'
import { ShownKey } from './shown-key.tsx'

/** One key: its rights and limits, its spending, and buttons to rotate or revoke it. */
export function KeyDetails({ id }: { id: string }) {
  const query = useQuery(`key ${id}`, (signal) => api.get('/keys/:id', { id }, signal))
  return (
    <>
      <Back to={['projects', 'projects/keys']}>Projects and keys</Back>
      {query.data ? null : <PageHead title="Key" />}
      <Loaded query={query}>{(key) => <KeyView of={key} onChange={query.reload} />}</Loaded>
    </>
  )
}

function KeyView({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const mayChange = useCan('updateKey')
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke' | null>(null)
  useWish({ edit: () => mayChange && isAlive(key) && setOpen('edit') })
  const [made, setMade] = useState<NewKey | null>(null)
  const close = () => setOpen(null)
  const actions =
    mayChange && isAlive(key) ? (
      <>
        <a class="button plain" href={hrefTo(['batches', 'new'], { key: key.id })}>
          Look up a file
        </a>
        <Button onClick={() => setOpen('edit')}>Edit</Button>
        <Button onClick={() => setOpen('rotate')}>Rotate</Button>
        <Button kind="danger" onClick={() => setOpen('revoke')}>
          Revoke
        </Button>
      </>
    ) : null
  return (
    <>
      <PageHead title={key.label || 'Key without label'} actions={actions}>
        <code>{key.display}</code>
      </PageHead>
      <KeyUsage of={key} />
      <KeyFacts of={key} />
      {open === 'edit' ? <EditKey of={key} onDone={() => (close(), onChange())} onClose={close} /> : null}
      {open === 'rotate' ? (
        <RotateKey of={key} onMade={(next) => (setMade(next), close(), onChange())} onClose={close} />
      ) : null}
      {open === 'revoke' ? <RevokeKey of={key} onChange={onChange} onClose={close} /> : null}
      {made ? (
        <ShownKey
          made={made}
          onClose={() => {
            setMade(null)
            location.hash = hrefTo(['projects', 'key', made.id])
          }}
        />
      ) : null}
    </>
  )
}

function KeyFacts({ of: key }: { of: Key }) {
  const list = (values: string[] | null, all: string) => (values === null ? all : values.join(', ') || 'none')
  return (
    <Panel title="Settings and state">
      <dl class="facts panel-body">
        <dt>State</dt>
        <dd>
          <KeyState of={key} />
        </dd>
        <dt>Spent this month</dt>
        <dd>
          <KeySpend of={key} />
        </dd>
        <dt>Belongs to</dt>
        <dd>
          <a href={hrefTo(['projects', 'in', key.project, key.environment])}>
            {key.project}/{key.environment}
          </a>
          , {key.mode}
        </dd>
        <dt>Rate limit</dt>
        <dd>{key.rate ?? 'the default of the service'}</dd>
        <dt>Endpoints</dt>
        <dd>{list(key.endpoints, 'both')}</dd>
        <dt>Optional parts</dt>
        <dd>{list(key.parts, 'all')}</dd>
        <dt>Networks</dt>
        <dd>{list(key.networks, 'anywhere')}</dd>
        <dt>Last used</dt>
        <dd>
          <Time at={key.last_used_at} />
        </dd>
        <dt>Made</dt>
        <dd>
          <Time at={key.created_at} />
        </dd>
        <dt>Expires</dt>
        <dd>{key.expires_at ? <Time at={key.expires_at} /> : 'never'}</dd>
        <dt>Revoked</dt>
        <dd>{key.revoked_at ? <Time at={key.revoked_at} /> : 'no'}</dd>
        {key.rotated_to ? (
          <>
            <dt>Followed by</dt>
            <dd>
              <a href={hrefTo(['projects', 'key', key.rotated_to])}>{key.rotated_to}</a>
            </dd>
          </>
        ) : null}
        {key.rotated_from ? (
          <>
            <dt>Follows</dt>
            <dd>
              <a href={hrefTo(['projects', 'key', key.rotated_from])}>{key.rotated_from}</a>
            </dd>
          </>
        ) : null}
        <dt>Id</dt>
        <dd>
          <code>{key.id}</code>
        </dd>
      </dl>
    </Panel>
  )
}

function RevokeKey({ of: key, onChange, onClose }: { of: Key; onChange: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Revoke ${key.label || key.display}`}
      verb="Revoke key"
      word={key.display.slice(-4)}
      askReason="optional"
      onConfirm={async (reason) => {
        await api.post('/keys/:id/revoke', { id: key.id, ...(reason ? { reason } : {}) })
        onChange()
      }}
      done={{ text: `${key.label || key.display} is revoked.` }}
      onClose={onClose}
    >
      <p>
        Every call with <code>{key.display}</code> is refused from now on, and this cannot be taken back. Type the last
        four characters of the key.
      </p>
    </ConfirmDialog>
  )
}
