import type { AdminOperationId as Operation } from '@vitae/contract/admin'
import type { ComponentType } from 'preact'
import type { IconName } from './elements/icon.tsx'
import { lazy } from './lazy.tsx'
import { OverviewPage } from './pages/overview.tsx'
import type { Route } from './router.ts'

export interface Page {
  name: string
  title: string
  icon: IconName
  /** The operation that the page reads with. Users without this right do not see the page. */
  needs: Operation
  Page: ComponentType<{ route: Route }>
}

const ProjectsPage = lazy(async () => (await import('./pages/projects.tsx')).ProjectsPage)
const RecordsPage = lazy(async () => (await import('./pages/records.tsx')).RecordsPage)
const WatchesPage = lazy(async () => (await import('./pages/watches.tsx')).WatchesPage)
const BatchesPage = lazy(async () => (await import('./pages/batches.tsx')).BatchesPage)
const CallsPage = lazy(async () => (await import('./pages/calls.tsx')).CallsPage)
const SpendPage = lazy(async () => (await import('./pages/spend.tsx')).SpendPage)
const PricesPage = lazy(async () => (await import('./pages/prices.tsx')).PricesPage)
const WebhooksPage = lazy(async () => (await import('./pages/webhooks.tsx')).WebhooksPage)
const ProvidersPage = lazy(async () => (await import('./pages/providers.tsx')).ProvidersPage)
const AuditPage = lazy(async () => (await import('./pages/audit.tsx')).AuditPage)
const SuppressionsPage = lazy(async () => (await import('./pages/suppressions.tsx')).SuppressionsPage)
const SessionsPage = lazy(async () => (await import('./pages/sessions.tsx')).SessionsPage)
const OperationsPage = lazy(async () => (await import('./pages/operations.tsx')).OperationsPage)
const PlaygroundPage = lazy<{ route: Route }>(async () => (await import('./pages/playground.tsx')).PlaygroundPage)

/** Every page, in the order of the menu. The first page comes with the console, each other one when it is opened. */
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
