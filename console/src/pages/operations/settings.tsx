import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { CheckField, TextField } from '../../elements/field.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { useQuery } from '../../use-query.ts'

type Settings = AdminAnswer<'readSettings'>

type Variable = Settings['variables'][number]

/** Every setting with its current value and the source of that value. */
export function SettingsView() {
  const query = useQuery('settings', (signal) => api.get('/settings', {}, signal))
  return <Loaded query={query}>{(settings) => <Variables settings={settings} />}</Loaded>
}

function Variables({ settings: { version, variables } }: { settings: Settings }) {
  const [text, setText] = useState('')
  const [onlySet, setOnlySet] = useState(false)
  const wanted = text.trim().toUpperCase()
  const rows = variables.filter(({ name, source }) => name.includes(wanted) && (!onlySet || source !== 'default'))
  return (
    <Panel title={`Vitae ${version}`}>
      <div class="filters" role="search" aria-label="Filter settings">
        <TextField label="Name" type="search" value={text} onInput={setText} placeholder="RATE" />
        <CheckField label="Only what is set" checked={onlySet} onChange={setOnlySet} />
      </div>
      <DataTable<Variable>
        caption="Settings"
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { label: 'Variable', head: true, cell: ({ name }) => <code>{name}</code> },
          { label: 'Value', cell: ({ value }) => <bdi>{value ?? <span class="faint">not set</span>}</bdi> },
          { label: 'From', cell: ({ source }) => source },
        ]}
        empty={<EmptyState title="No setting matches." />}
      />
    </Panel>
  )
}
