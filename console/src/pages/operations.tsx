import type { ComponentType } from 'preact'
import type { AdminOperationId as Operation } from '@vitae/contract/admin'
import { PageHead, Tabs } from '../elements/page-head.tsx'
import { hrefTo, type Route } from '../router.ts'
import { useSession } from '../session.tsx'
import { BackupsView } from './operations/backups.tsx'
import { DoctorView } from './operations/doctor.tsx'
import { RetentionView } from './operations/retention.tsx'
import { SettingsView } from './operations/settings.tsx'
import { TokensView } from './operations/tokens.tsx'

interface View {
  name: string
  title: string
  needs: Operation
  View: ComponentType<{ query: URLSearchParams }>
}

const views: readonly View[] = [
  { name: 'settings', title: 'Settings', needs: 'readSettings', View: SettingsView },
  { name: 'doctor', title: 'Doctor', needs: 'runDoctor', View: DoctorView },
  { name: 'backups', title: 'Backups', needs: 'listBackups', View: BackupsView },
  { name: 'retention', title: 'Retention', needs: 'planRetention', View: RetentionView },
  { name: 'tokens', title: 'Admin tokens', needs: 'listTokens', View: TokensView },
]

/** Operation of the service: settings, checks, backups, retention and admin tokens. */
export function OperationsPage({ route }: { route: Route }) {
  const { capabilities } = useSession()
  const open = views.filter(({ needs }) => capabilities.includes(needs))
  const shown = open.find(({ name }) => name === route.rest[0]) ?? open[0]
  if (!shown) return null
  const tabs = open.map(({ name, title }) => ({
    text: title,
    href: hrefTo(['operations', name]),
    current: name === shown.name,
  }))
  return (
    <>
      <PageHead title={shown.title} />
      <Tabs label="Operations" tabs={tabs} />
      <shown.View key={shown.name} query={route.query} />
    </>
  )
}
