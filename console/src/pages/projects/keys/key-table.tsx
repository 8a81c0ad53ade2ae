import type { JSX } from 'preact'
import type { Key } from '@vitae/contract/admin'
import { Badge } from '../../../elements/badge.tsx'
import { DataTable } from '../../../elements/lists/data-table.tsx'
import { Time } from '../../../elements/time/time.tsx'
import { Word } from '../../../elements/word.tsx'
import { hrefTo } from '../../../router.ts'
import { KeySpend, KeyState } from './key-state.tsx'

interface Props {
  caption: string
  keys: Key[]
  withProject?: boolean
  empty: JSX.Element
}

/** A table of keys, in the order that the service returned. */
export function KeyTable({ caption, keys, withProject, empty }: Props) {
  return (
    <DataTable<Key>
      caption={caption}
      rows={keys}
      keyOf={(key) => key.id}
      columns={[
        { label: 'Key', head: true, cell: (key) => <KeyName of={key} /> },
        {
          label: 'Environment',
          cell: (key) => <Word text={withProject ? `${key.project}/${key.environment}` : key.environment} />,
        },
        { label: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'accent' : 'neutral'}>{mode}</Badge> },
        { label: 'State', cell: (key) => <KeyState of={key} /> },
        { label: 'Spent this month', cell: (key) => <KeySpend of={key} /> },
        { label: 'Rate', cell: ({ rate }) => <span class="nowrap">{rate ?? 'default'}</span> },
        { label: 'Last used', cell: (key) => <Time at={key.last_used_at} ago /> },
      ]}
      empty={empty}
    />
  )
}

function KeyName({ of: key }: { of: Key }) {
  return (
    <a class="key-name" href={hrefTo(['projects', 'key', key.id])}>
      <Word text={key.label || 'no label'} />
      <code>{key.display}</code>
    </a>
  )
}
