import { useState } from 'preact/hooks'
import type { Key } from '../../api-types.generated.ts'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/data-table.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { Time } from '../../elements/time.tsx'
import { hrefTo } from '../../router.ts'
import { isAlive, KeySpend, KeyState } from './key-state.tsx'

/** The keys of a project, those that still open something first. */
export function KeyTable({ keys, project }: { keys: Key[]; project: string }) {
  const [all, setAll] = useState(false)
  const alive = keys.filter((key) => isAlive(key))
  const ended = keys.length - alive.length
  return (
    <>
      <DataTable<Key>
        caption={`Keys of ${project}`}
        rows={all ? [...alive, ...keys.filter((key) => !isAlive(key))] : alive}
        keyOf={(key) => key.id}
        columns={[
          { label: 'Key', head: true, cell: (key) => <KeyName of={key} /> },
          { label: 'Environment', cell: (key) => key.environment },
          { label: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'accent' : 'neutral'}>{mode}</Badge> },
          { label: 'State', cell: (key) => <KeyState of={key} /> },
          { label: 'Spent this month', cell: (key) => <KeySpend of={key} /> },
          { label: 'Rate', cell: ({ rate }) => <span class="nowrap">{rate ?? 'default'}</span> },
          { label: 'Last used', cell: (key) => <Time at={key.last_used_at} ago /> },
        ]}
        empty={<EmptyState title="No key opens this project now.">Make one with “New key”.</EmptyState>}
      />
      {ended > 0 ? (
        <div class="pager">
          <Button
            small
            kind="quiet"
            label={`${all ? 'Hide' : 'Show'} ended keys of ${project}`}
            onClick={() => setAll(!all)}
          >
            {all ? 'Hide ended keys' : `Show ${ended} ended`}
          </Button>
        </div>
      ) : null}
    </>
  )
}

function KeyName({ of: key }: { of: Key }) {
  return (
    <a class="key-name" href={hrefTo(['projects', 'key', key.id])}>
      <span>{key.label || 'no label'}</span>
      <code>{key.display}</code>
    </a>
  )
}
