import type { AdminOperationId as Operation, SearchResult } from '@vitae/contract/admin'
import { pages } from '../pages.ts'
import { hrefTo } from '../router.ts'

/** One search result with its link. */
export interface Hit {
  group: string
  name: string
  detail: string
  href: string
}

const groups: Record<SearchResult['kind'], string> = {
  call: 'Call',
  people: 'Person',
  companies: 'Company',
  project: 'Project',
  environment: 'Environment',
  key: 'Key',
  batch: 'Batch',
  webhook: 'Webhook',
}

/** Converts a result of the service to a line of the search. */
export function hitOf({ kind, id, name, detail }: SearchResult): Hit {
  return { group: groups[kind], name, detail, href: placeOf(kind, id) }
}

function placeOf(kind: SearchResult['kind'], id: string): string {
  if (kind === 'call') return hrefTo(['calls', id])
  if (kind === 'key') return hrefTo(['projects', 'key', id])
  if (kind === 'project') return hrefTo(['projects'], { text: id })
  if (kind === 'environment') return hrefTo(['projects', 'in', ...id.split('/')])
  if (kind === 'batch') return hrefTo(['batches', id])
  return kind === 'webhook' ? hrefTo(['webhooks', id]) : hrefTo(['records', kind, id])
}

/** Parts of pages that users search for by name. */
const parts: readonly { title: string; href: string; needs: Operation }[] = [
  { title: 'All keys', href: hrefTo(['projects', 'keys']), needs: 'listKeys' },
  { title: 'New batch', href: hrefTo(['batches', 'new']), needs: 'submitBatch' },
  { title: 'Settings', href: hrefTo(['operations', 'settings']), needs: 'readSettings' },
  { title: 'Doctor', href: hrefTo(['operations', 'doctor']), needs: 'runDoctor' },
  { title: 'Backups', href: hrefTo(['operations', 'backups']), needs: 'listBackups' },
  { title: 'Retention', href: hrefTo(['operations', 'retention']), needs: 'planRetention' },
  { title: 'Admin tokens and colleagues', href: hrefTo(['operations', 'tokens']), needs: 'listTokens' },
]

/** The permitted pages and parts whose title contains the text; all permitted pages without a text. */
export function pagesNamed(text: string, capabilities: readonly string[]): Hit[] {
  const wanted = text.trim().toLowerCase()
  const named = pages.map(({ name, title, needs }) => ({ title, href: hrefTo([name]), needs }))
  return [...named, ...(wanted === '' ? [] : parts)]
    .filter(({ title, needs }) => capabilities.includes(needs) && title.toLowerCase().includes(wanted))
    .map(({ title, href }) => ({ group: 'Page', name: title, detail: '', href }))
}
