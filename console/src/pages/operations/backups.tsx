import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice, Notice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatBytes, formatNumber } from '../../format.ts'
import { useCan } from '../../session.tsx'
import { useAction, type Action } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'

type Backup = AdminAnswer<'listBackups'>['backups'][number]
interface List {
  dir: string | null
  backups: Backup[]
}

/** Explains which work is stopped after a restore, with the button that resumes it. */
function StoppedWork() {
  const mayResume = useCan('resumeWork')
  const action = useAction()
  const query = useQuery('work', (signal) => api.get('/work', {}, signal))
  const resume = () =>
    action.run(async () => {
      await api.post('/work/resume')
      query.reload()
    })
  if (!query.data?.stopped) return null
  return (
    <Panel
      title="This store was restored"
      actions={
        mayResume ? (
          <Button kind="primary" busy={action.busy} onClick={() => void resume()}>
            Resume work
          </Button>
        ) : null
      }
    >
      <ErrorNotice error={action.error} />
      <Notice tone="warning">
        Batches, watches and webhooks are stopped. Stop the service that the backup came from, then resume them: two
        services with the same work pay twice and notify receivers twice.
      </Notice>
    </Panel>
  )
}

/** The list of backups, with buttons to make, verify and download one. */
export function BackupsView() {
  const mayMake = useCan('makeBackup')
  const [news, setNews] = useState<{ good: boolean; text: string } | null>(null)
  const action = useAction()
  const query = useQuery('backups', (signal) => api.get('/backups', {}, signal))
  const make = () =>
    action.run(async () => {
      const made = await api.post('/backups')
      setNews({ good: true, text: `${nameOf(made)} is made and verified.` })
      query.reload()
    })
  const button =
    mayMake && query.data?.dir ? (
      <Button kind="primary" busy={action.busy} onClick={() => void make()}>
        Make a backup
      </Button>
    ) : null
  return (
    <>
      <StoppedWork />
      <Panel title={query.data?.dir ? `In ${query.data.dir}` : null} actions={button}>
        <ErrorNotice error={action.error} />
        {news ? <Notice tone={news.good ? 'good' : 'danger'}>{news.text}</Notice> : null}
        <Loaded query={query}>
          {({ dir, backups }) =>
            dir === null ? (
              <EmptyState title="No backups are scheduled.">
                Set <code>VITAE_BACKUP_DIR</code> to a folder on another disk. PostgreSQL is backed up with its own
                tools.
              </EmptyState>
            ) : (
              <BackupTable dir={dir} backups={backups} action={action} onChecked={setNews} />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

function nameOf({ path }: Backup): string {
  return path.split(/[/\\]/).at(-1) ?? path
}

interface TableProps extends List {
  action: Action
  onChecked: (news: { good: boolean; text: string }) => void
}

function BackupTable({ dir, backups, action, onChecked }: TableProps) {
  const mayTake = useCan('downloadBackup')
  const verify = (backup: Backup) =>
    action.run(async () => {
      const name = nameOf(backup)
      const checked = await api.post('/backups/:name/verify', { name })
      const held = `${formatNumber(checked.entities)} records, ${formatNumber(checked.entries)} ledger entries`
      onChecked({ good: checked.ok, text: checked.ok ? `${name} is sound: ${held}.` : `${name}: ${checked.fault}` })
    })
  // A backup is too large for the page's memory, so the browser downloads it. The request before it detects an ended
  // session.
  const take = (backup: Backup) =>
    action.run(async () => {
      await api.get('/backups')
      location.assign(`/admin/v1/backups/${encodeURIComponent(nameOf(backup))}/file`)
    })
  const actions = (backup: Backup) => (
    <span class="actions">
      <Button small busy={action.busy} label={`Verify ${nameOf(backup)}`} onClick={() => void verify(backup)}>
        Verify
      </Button>
      <Button small busy={action.busy} label={`Download ${nameOf(backup)}`} onClick={() => void take(backup)}>
        Download
      </Button>
    </span>
  )
  return (
    <DataTable<Backup>
      caption={`Backups in ${dir}, newest first`}
      rows={backups}
      keyOf={({ path }) => path}
      columns={[
        { label: 'Backup', head: true, cell: (backup) => <code>{nameOf(backup)}</code> },
        { label: 'Made', cell: (backup) => <Time at={backup.made_at} /> },
        { label: 'Size', align: 'right', cell: ({ size }) => <span class="nowrap">{formatBytes(size)}</span> },
        ...(mayTake ? [{ label: 'Actions', align: 'right' as const, cell: actions }] : []),
      ]}
      empty={<EmptyState title="There is no backup yet." />}
    />
  )
}
