import type { ComponentType } from 'preact'
import type { IconName } from './elements/icon.tsx'
import { AuditPage } from './pages/audit.tsx'
import { CallsPage } from './pages/calls.tsx'
import { OverviewPage } from './pages/overview.tsx'
import { PlaygroundPage } from './pages/playground.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { ProvidersPage } from './pages/providers.tsx'
import { RecordsPage } from './pages/records.tsx'
import { SuppressionsPage } from './pages/suppressions.tsx'
import type { Route } from './router.ts'

export interface Page {
  name: string
  title: string
  icon: IconName
  /** About the whole service: not for tokens of one project. */
  wholeService: boolean
  Page: ComponentType<{ route: Route }>
}

/** Every page, in the order of the menu. */
export const pages: readonly Page[] = [
  { name: 'overview', title: 'Overview', icon: 'overview', wholeService: false, Page: OverviewPage },
  { name: 'projects', title: 'Projects and keys', icon: 'projects', wholeService: false, Page: ProjectsPage },
  { name: 'records', title: 'Records', icon: 'records', wholeService: true, Page: RecordsPage },
  { name: 'calls', title: 'Calls', icon: 'calls', wholeService: false, Page: CallsPage },
  { name: 'providers', title: 'Providers', icon: 'providers', wholeService: true, Page: ProvidersPage },
  { name: 'audit', title: 'Audit log', icon: 'audit', wholeService: true, Page: AuditPage },
  { name: 'suppressions', title: 'Suppressions', icon: 'suppressions', wholeService: true, Page: SuppressionsPage },
  { name: 'playground', title: 'Playground', icon: 'playground', wholeService: false, Page: PlaygroundPage },
]
