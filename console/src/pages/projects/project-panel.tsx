import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer, Key, Project } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { statementHref } from '../spend/statement.tsx'
import { GrantCredits } from './grant-credits.tsx'
import { KeyTable } from './keys/key-table.tsx'

type Environment = AdminAnswer<'showProject'>['environments'][number]

interface Props {
  project: Project
  /** The newest active keys. */
  keys: Key[]
  moreKeys: boolean
  onChange: () => void
}

/** One project: the credits of its environments, and its keys. */
export function ProjectPanel({ project, keys, moreKeys, onChange }: Props) {
  const mayGrant = useCan('grantCredits')
  const mayStop = useCan('updateProject')
  const mayDelete = useCan('deleteProject')
  const [granting, setGranting] = useState<string | null>(null)
  const title = (
    <>
      {project.name}
      {project.suspended ? <Badge tone="danger">suspended</Badge> : null}
      {project.billing_blocked ? <Badge tone="warning">billing blocked</Badge> : null}
    </>
  )
  return (
    <Panel
      title={title}
      actions={
        <>
          {mayDelete && keys.length === 0 ? <DeleteButton project={project} onChange={onChange} /> : null}
          {mayStop ? <StateButtons project={project} onChange={onChange} /> : null}
        </>
      }
    >
      <EnvironmentTable project={project} onGrant={mayGrant ? setGranting : null} />
      <h3 class="panel-rule">Keys</h3>
      <KeyTable
        caption={`Keys of ${project.name}`}
        keys={keys}
        empty={<EmptyState title="This project has no working key.">Make one with “New key”.</EmptyState>}
      />
      <div class="pager">
        <a href={hrefTo(['projects', 'keys'], { project: project.name })}>
          {moreKeys ? 'More keys of this project' : 'All keys of this project, also ended ones'}
        </a>
        <a href={statementHref({ project: project.name })}>Statement</a>
      </div>
      {granting === null ? null : (
        <GrantCredits
          project={project.name}
          environment={granting}
          onDone={() => {
            setGranting(null)
            onChange()
          }}
          onClose={() => setGranting(null)}
        />
      )}
    </Panel>
  )
}

function EnvironmentTable({ project, onGrant }: { project: Project; onGrant: ((name: string) => void) | null }) {
  return (
    <DataTable<Environment>
      caption={`Environments of ${project.name}`}
      rows={project.environments}
      keyOf={(environment) => environment.name}
      columns={[
        {
          label: 'Environment',
          head: true,
          cell: ({ name }) => (
            <a dir="auto" href={hrefTo(['projects', 'in', project.name, name])}>
              {name}
            </a>
          ),
        },
        {
          label: 'Available',
          word: 'available',
          align: 'right',
          cell: ({ available }) => <Credits amount={available} />,
        },
        { label: 'Held', word: 'held', align: 'right', cell: ({ held }) => formatNumber(held) },
        { label: 'Active keys', align: 'right', cell: (row) => formatNumber(row.keys) },
        ...(onGrant
          ? [
              {
                label: 'Credits',
                align: 'right' as const,
                cell: ({ name }: Environment) => (
                  <Button small label={`Grant credits to ${name}`} onClick={() => onGrant(name)}>
                    Grant
                  </Button>
                ),
              },
            ]
          : []),
      ]}
      empty={<EmptyState title="No environment yet.">Its first key creates it.</EmptyState>}
    />
  )
}

function Credits({ amount }: { amount: number }) {
  if (amount > 0) return <strong>{formatNumber(amount)}</strong>
  return <Badge tone="danger">{formatNumber(amount)} left</Badge>
}

/** Deletes a project created by mistake. The service refuses if the project is not empty, and says why. */
function DeleteButton({ project: { name }, onChange }: { project: Project; onChange: () => void }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button small kind="quiet" label={`Delete ${name}`} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking ? (
        <ConfirmDialog
          title={`Delete ${name}`}
          verb="Delete project"
          word={name}
          askReason="optional"
          onConfirm={async (reason) => {
            await api.delete('/projects/:project', { project: name, reason })
            onChange()
          }}
          done={{ text: `Project ${name} is deleted.` }}
          onClose={() => setAsking(false)}
        >
          <p>Only an empty project can be deleted: no working key, no call, no entry in its ledger.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

function StateButtons({ project, onChange }: { project: Project; onChange: () => void }) {
  const [asking, setAsking] = useState<'suspended' | 'billing_blocked' | null>(null)
  const suspend = project.suspended ? 'Resume' : 'Suspend'
  const block = project.billing_blocked ? 'Unblock billing' : 'Block billing'
  const verb = asking === 'suspended' ? suspend : block
  const stops = asking !== null && !project[asking]
  return (
    <>
      <Button small kind="quiet" label={`${block} of ${project.name}`} onClick={() => setAsking('billing_blocked')}>
        {block}
      </Button>
      <Button small kind="quiet" label={`${suspend} ${project.name}`} onClick={() => setAsking('suspended')}>
        {suspend}
      </Button>
      {asking ? (
        <ConfirmDialog
          title={`${verb}: ${project.name}`}
          verb={verb}
          word={null}
          askReason="optional"
          onConfirm={async (reason) => {
            const change = { [asking]: !project[asking], ...(reason ? { reason } : {}) }
            await api.patch('/projects/:project', { project: project.name, ...change })
            onChange()
          }}
          done={{
            text: `${verb}, ${project.name}: done.`,
            undo: () => api.patch('/projects/:project', { project: project.name, [asking]: project[asking] }),
          }}
          onClose={() => setAsking(null)}
        >
          <p>
            {stops ? 'Every call with a key of this project is refused from now on.' : 'Its keys work again at once.'}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
