import type { ExportedListName } from '@vitae/contract/admin'
import { useEffect, useState } from 'preact/hooks'
import { api, ApiError } from '../../api.ts'
import { formatBytes, formatNumber, formatTime } from '../../format.ts'
import { useAction } from '../../use-action.ts'
import { Button } from '../button.tsx'
import { ErrorNotice } from '../notice.tsx'

/** A list of the service, with the parameters under which the page shows it. */
export interface WholeList {
  list: ExportedListName
  ask: Record<string, string | number | boolean | null | undefined>
  /** The rows of this page. A list with no more than a handful has no button; without the number it always has one. */
  shown?: number
}

/** Lists up to this length are read faster than a file is opened. */
export const handful = 5

/** Prepares all rows of a list as a file. The tray shows the progress, on every page. */
export function AllRows({ list, ask }: WholeList) {
  const action = useAction()
  const begin = async () => {
    const given = Object.entries(ask).filter(([, value]) => value !== null && value !== undefined && value !== '')
    const body = { list, ask: Object.fromEntries(given.map(([name, value]) => [name, String(value)])) }
    const { id } = await api.post('/exports', body)
    follow([...followed(), { id, isNew: true }])
  }
  return (
    <>
      <Button small kind="quiet" busy={action.busy} onClick={() => void action.run(begin)}>
        All rows as CSV
      </Button>
      <ErrorNotice error={action.error} />
    </>
  )
}

interface Followed {
  id: string
  /** Begun by this page: the browser saves it when the file is ready. */
  isNew?: boolean
}

const storedAs = 'vitae-exports'
const changed = 'vitae-exports'

/** Kept for a reload. */
function followed(): Followed[] {
  return JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as Followed[]
}

function follow(list: Followed[]): void {
  sessionStorage.setItem(storedAs, JSON.stringify(list))
  dispatchEvent(new Event(changed))
}

function forget(id: string): void {
  follow(followed().filter((one) => one.id !== id))
}

/** The exports that were begun here, with progress, cancel and download, until they are closed. */
export function ExportTray() {
  const [list, setList] = useState(followed)
  useEffect(() => {
    const update = () => setList(followed())
    addEventListener(changed, update)
    return () => removeEventListener(changed, update)
  }, [])
  return (
    <>
      {list.map((one) => (
        <ExportLine key={one.id} {...one} />
      ))}
    </>
  )
}

type State = Awaited<ReturnType<typeof show>>
const show = (id: string) => api.get('/exports/:id', { id })
const [firstPollMs, longestPollMs] = [300, 2_000]
/** A line leaves some time after the browser has saved its file. */
const readyShownMs = 60_000

const names: Record<ExportedListName, string> = {
  listCalls: 'Calls',
  listKeys: 'Keys',
  listProjects: 'Projects',
  listBatches: 'Batches',
  listWatches: 'Watches',
  listWebhooks: 'Webhooks',
  listWebhookDeliveries: 'Deliveries',
  listParkedEvents: 'Parked events',
  searchRecords: 'Records',
  listSuppressions: 'Suppressions',
  creditHistory: 'Ledger',
  readUsage: 'Spend',
  listAudit: 'Audit log',
  listSessions: 'Sessions',
  listTokens: 'Admin tokens',
}

function ExportLine({ id, isNew = false }: Followed) {
  const [state, setState] = useState<State | null>(null)
  const action = useAction()
  const href = `/admin/v1/exports/${id}/file`
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    let isHere = true
    const poll = async (pauseMs: number) => {
      const now = await show(id).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) forget(id)
        return null
      })
      if (!isHere) return
      if (now) setState(now)
      if (now?.state === 'ready') {
        if (isNew) save(href, id)
        timer = setTimeout(() => forget(id), readyShownMs)
      }
      if (now === null || now.state === 'preparing')
        timer = setTimeout(() => void poll(Math.min(pauseMs * 1.5, longestPollMs)), pauseMs)
    }
    void poll(firstPollMs)
    return () => {
      isHere = false
      clearTimeout(timer)
    }
  }, [id])
  if (!state) return null
  const name = names[state.list]
  const rows = `${formatNumber(state.rows)} ${state.rows === 1 ? 'row' : 'rows'}`
  const cancel = () => action.run(async () => (await api.delete('/exports/:id', { id }), forget(id)))
  if (state.state === 'preparing')
    return (
      <div class="toast">
        <span class="spinner" aria-hidden="true" />
        <span>{`${name}: the file is being prepared, ${rows} so far.`}</span>
        <Button small label={`Cancel the export: ${name}`} busy={action.busy} onClick={() => void cancel()}>
          Cancel
        </Button>
      </div>
    )
  return (
    <div class="toast">
      {state.state === 'ready' ? (
        <>
          <span>{`${name}: ${rows}, kept until ${formatTime(state.expires_at)}.`}</span>
          <a href={href} download>
            Download ({formatBytes(state.bytes)} compressed)
          </a>
        </>
      ) : (
        <span>{`${name}: ${state.detail ?? 'not prepared.'}`}</span>
      )}
      <Button small kind="quiet" label={`Close the export: ${name}`} onClick={() => forget(id)}>
        Close
      </Button>
    </div>
  )
}

/** The browser saves the file, which may be larger than the memory of a page. */
function save(href: string, id: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = ''
  link.click()
  follow(followed().map((one) => (one.id === id ? { id } : one)))
}
