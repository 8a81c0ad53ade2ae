import { useEffect, useId, useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { SearchResult } from '@vitae/contract/admin'
import { Dialog } from '../elements/dialogs/dialog.tsx'
import { Icon } from '../elements/icon.tsx'
import { ErrorNotice } from '../elements/notice.tsx'
import { goTo } from '../router.ts'
import { useSession } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { hitOf, pagesNamed, type Hit } from './search-results.ts'

/**
 * Wait for this pause in typing before each search, because a search may read records and every such read is audited.
 */
const typingMs = 250
const askedFrom = 2

/** The button that opens the search, shown on a phone as an icon only. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" class="search-button" aria-keyshortcuts="Control+K" onClick={onOpen}>
      <Icon name="search" />
      <span>Search</span>
      <kbd aria-hidden="true">Ctrl K</kbd>
    </button>
  )
}

/** Opens the search on Ctrl-K, or Command-K on a Mac. */
export function useSearchKey(onOpen: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (
        !(event.ctrlKey || event.metaKey) ||
        event.key.toLowerCase() !== 'k' ||
        document.querySelector('dialog[open]')
      )
        return
      event.preventDefault()
      onOpen()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onOpen])
}

/** Searches the console's pages in the browser, and everything else through the service. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { capabilities } = useSession()
  const [text, setText] = useState('')
  const [place, setPlace] = useState(0)
  const asked = useSettled(text.trim())
  const found = useQuery(`search ${asked}`, async () =>
    asked.length < askedFrom ? [] : (await api.post<{ results: SearchResult[] }>('/search', { text: asked })).results,
  )
  const hits = [...(found.data ?? []).map(hitOf), ...pagesNamed(text, capabilities)]
  const chosen = hits[Math.min(place, hits.length - 1)]
  const isAsking = found.loading || asked !== text.trim()
  const list = useId()
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    goTo(hit.href)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || hits.length === 0) return
    event.preventDefault()
    setPlace((Math.min(place, hits.length - 1) + step + hits.length) % hits.length)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    // While the search runs, Enter does not open a page: a pending result may be the better match.
    if (!isAsking || chosen?.group !== 'Page') open(chosen)
  }
  return (
    <Dialog title="Search" wide atTop onClose={onClose}>
      <form class="search-form" role="search" onSubmit={submit}>
        <input
          class="input"
          type="text"
          role="combobox"
          aria-label="Search for anything"
          aria-expanded={hits.length > 0}
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${hits.indexOf(chosen)}` : undefined}
          placeholder="Request id, person, company, URL, key, project, batch, webhook, page"
          autoComplete="off"
          spellcheck={false}
          autoFocus
          maxLength={300}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setPlace(0)
          }}
          onKeyDown={press}
        />
        <ErrorNotice error={found.error} />
        <ul class="hits" id={list} role="listbox" aria-label="Found">
          {hits.map((hit, index) => (
            <li key={hit.href + hit.group} id={`${list}-${index}`} role="option" aria-selected={hit === chosen}>
              <a href={hit.href} tabIndex={-1} onClick={onClose}>
                <span class="hit-group">{hit.group}</span>
                <span class="hit-name">
                  <bdi>{hit.name}</bdi>
                </span>
                <span class="hit-detail">
                  <bdi>{hit.detail}</bdi>
                </span>
              </a>
            </li>
          ))}
        </ul>
        <p class="hint" role="status">
          {summary(text, isAsking, hits.length)}
        </p>
      </form>
    </Dialog>
  )
}

function summary(text: string, isAsking: boolean, hits: number): string {
  if (text.trim().length < askedFrom) return 'Type two characters or more. Arrow keys choose, Enter opens.'
  if (isAsking) return 'Looking…'
  return hits === 0
    ? 'Nothing is found under that. A record is found by words of its name, its slug, its URL or its e-mail address.'
    : `${hits} found`
}

/** Returns the text after the user has stopped typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
