import type { ComponentType } from 'preact'
import type { AdminOperationId as Operation } from '@vitae/contract/admin'
import type { IconName } from './elements/icon.tsx'
import { AuditPage } from './pages/audit.tsx'
import { BatchesPage } from './pages/batches.tsx'
import { CallsPage } from './pages/calls.tsx'
import { OperationsPage } from './pages/operations.tsx'
import { OverviewPage } from './pages/overview.tsx'
import { PlaygroundPage } from './pages/playground.tsx'
import { PricesPage } from './pages/prices.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { ProvidersPage } from './pages/providers.tsx'
import { RecordsPage } from './pages/records.tsx'
import { SpendPage } from './pages/spend.tsx'
import { SessionsPage } from './pages/sessions.tsx'
import { SuppressionsPage } from './pages/suppressions.tsx'
import { WebhooksPage } from './pages/webhooks.tsx'
import { WatchesPage } from './pages/watches.tsx'
import type { Route } from './router.ts'

export interface Page {
  name: string
  title: string
  icon: IconName
  /** The operation that the page reads with. Users without this right do not see the page. */
  needs: Operation
  Page: ComponentType<{ route: Route }>
}

/** Every page, in the order of the menu. */
export const pages: readonly Page[] = [
  { name: 'overview', title: 'Overview', icon: 'overview', needs: 'readOverview', Page: OverviewPage },
  { name: 'projects', title: 'Projects and keys', icon: 'projects', needs: 'listProjects', Page: ProjectsPage },
  { name: 'records', title: 'Records', icon: 'records', needs: 'searchRecords', Page: RecordsPage },
  { name: 'watches', title: 'Watches', icon: 'watches', needs: 'listWatches', Page: WatchesPage },
  { name: 'batches', title: 'Batches', icon: 'batches', needs: 'listBatches', Page: BatchesPage },
  { name: 'calls', title: 'Calls', icon: 'calls', needs: 'listCalls', Page: CallsPage },
  { name: 'spend', title: 'Spend', icon: 'spend', needs: 'readUsage', Page: SpendPage },
  { name: 'prices', title: 'Prices', icon: 'prices', needs: 'showPrices', Page: PricesPage },
  { name: 'webhooks', title: 'Webhooks', icon: 'webhooks', needs: 'listWebhooks', Page: WebhooksPage },
  { name: 'providers', title: 'Providers', icon: 'providers', needs: 'listProviders', Page: ProvidersPage },
  { name: 'audit', title: 'Audit log', icon: 'audit', needs: 'listAudit', Page: AuditPage },
  {
    name: 'suppressions',
    title: 'Suppressions',
    icon: 'suppressions',
    needs: 'listSuppressions',
    Page: SuppressionsPage,
  },
  { name: 'sessions', title: 'Sessions', icon: 'sessions', needs: 'listSessions', Page: SessionsPage },
  { name: 'operations', title: 'Operations', icon: 'operations', needs: 'readSettings', Page: OperationsPage },
  { name: 'playground', title: 'Playground', icon: 'playground', needs: 'showSession', Page: PlaygroundPage },
]
