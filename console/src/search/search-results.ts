import type { AdminOperationId as Operation, SearchResult } from '@vitae/contract/admin'
import { failureWords } from '../build-words.ts'
import { pages } from '../pages.ts'
import { hrefTo, parseHash } from '../router.ts'
import { actions } from './search-actions.ts'

/** One search result with its link. */
export interface Hit {
  group: string
  name: string
  detail: string
  href: string
  /** Found in the browser: an answer of the service that is still awaited may fit better. */
  isLocal?: true
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
  tag: 'Spend tag',
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
  if (kind === 'tag') return hrefTo(['spend'], { tag: id })
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
    .map(({ title, href }) => ({ group: 'Page', name: title, detail: '', href, isLocal: true }))
}

const actionsShown = 6

/** The permitted actions for which every word of the text stands, those with the words in their title first. */
export function actionsNamed(text: string, capabilities: readonly string[]): Hit[] {
  const wanted = wordsOf(text)
  if (wanted.length === 0) return []
  const inTitle = (title: string) => wanted.every((word) => wordsOf(title).some((own) => own.startsWith(word)))
  return actions
    .filter(({ title, words, needs }) => {
      const own = wordsOf(`${title} ${words}`)
      return capabilities.includes(needs) && wanted.every((word) => own.some((one) => one.startsWith(word)))
    })
    .toSorted((one, other) => Number(inTitle(other.title)) - Number(inTitle(one.title)))
    .slice(0, actionsShown)
    .map(({ title, href }) => ({ group: pageOf(href), name: title, detail: '', href, isLocal: true }))
}

/** The title of the page on which an action is. */
function pageOf(href: string): string {
  return pages.find(({ name }) => name === parseHash(href).page)?.title ?? ''
}

/** Words that say nothing about what is wanted. */
const smallWords = new Set(['a', 'an', 'the', 'to', 'of', 'for', 'how', 'do', 'i', 'my', 'in', 'on', 'and', 'or'])

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.filter((word) => word.length > 1 && !smallWords.has(word))
}

/** The calls that ended with a status or a failure code. */
export function callsNamed(text: string, capabilities: readonly string[]): Hit[] {
  const wanted = text.trim().toLowerCase()
  if (!capabilities.includes('listCalls') || wanted.length < 3) return []
  const group = 'Calls'
  if (/^[1-5]\d\d$/.test(wanted)) {
    const name = `Calls with status ${wanted}`
    return [{ group, name, detail: '', href: hrefTo(['calls'], { status: wanted }), isLocal: true }]
  }
  const code = wanted.replaceAll(/[ -]+/g, '_')
  return Object.entries(failureWords)
    .filter(([name]) => (code.includes('_') ? name.startsWith(code) : name.split('_').includes(code)))
    .slice(0, 4)
    .map(([name, detail]) => ({ group, name, detail, href: hrefTo(['calls'], { code: name }), isLocal: true }))
}
