import type { Provider } from '@vitae/contract/admin'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { formatMs, formatNumber } from '../../format.ts'
import { ProviderState } from '../providers/provider-state.tsx'

/** The state of each provider in the chain. */
export function ProviderHealth({ providers }: { providers: Provider[] }) {
  return (
    <Panel
      title="Providers in the last hour"
      actions={providers.length > 0 ? <a href="#/providers">All providers</a> : null}
    >
      <DataTable<Provider>
        caption="Providers in the chain"
        rows={providers.filter(({ in_chain }) => in_chain)}
        keyOf={({ name }) => name}
        columns={[
          { label: 'Provider', head: true, cell: ({ label }) => label },
          { label: 'State', cell: (provider) => <ProviderState of={provider} /> },
          {
            label: 'Attempts',
            word: 'attempts',
            align: 'right',
            cell: ({ recent }) => formatNumber(recent.calls),
          },
          { label: 'Failed', align: 'right', cell: ({ recent }) => formatNumber(recent.failures) },
          { label: 'Median', align: 'right', cell: ({ recent }) => formatMs(recent.p50_ms) },
        ]}
        empty={
          <EmptyState title="Nothing to show here.">Providers are shown to tokens of the whole service.</EmptyState>
        }
      />
    </Panel>
  )
}
