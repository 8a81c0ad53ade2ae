import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { api } from '../api.ts'
import { Dialog } from '../elements/dialogs/dialog.tsx'
import { ErrorNotice } from '../elements/notice.tsx'
import { goTo } from '../router.ts'
import { useSession } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { actionsNamed, callsNamed, type Hit, hitOf, pagesNamed } from './search-results.ts'

/**
 * Wait for this pause in typing before each search, because a search may read records and every such read is audited.
 */
const typingMs = 250
const askedFrom = 2

/** Searches pages, actions and failures in the browser, and everything else through the service. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { capabilities } = useSession()
  const [text, setText] = useState('')
  const [place, setPlace] = useState(0)
  const asked = useSettled(text.trim())
  const found = useQuery(`search ${asked}`, async () =>
    asked.length < askedFrom ? [] : (await api.post('/search', { text: asked })).results,
  )
  const places = [
    ...(found.data ?? []).map(hitOf),
    ...callsNamed(text, capabilities),
    ...pagesNamed(text, capabilities),
  ]
  const hits = [...places, ...actionsNamed(text, capabilities)]
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
    if (!isAsking || !chosen?.isLocal) open(chosen)
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
          placeholder="A name, an id, a failure code, a tag, or what you want to do"
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
        <div class="hits" id={list} role="listbox" aria-label="Found">
          {[['Go to', places] as const, ['Do', hits.slice(places.length)] as const].map(([title, own], group) =>
            own.length === 0 ? null : (
              <div key={title} role="group" aria-labelledby={`${list}-in-${group}`}>
                <p class="hits-title" id={`${list}-in-${group}`}>
                  {title}
                </p>
                {own.map((hit) => (
                  <HitLine
                    key={hit.href + hit.group}
                    id={`${list}-${hits.indexOf(hit)}`}
                    hit={hit}
                    isChosen={hit === chosen}
                    onOpen={onClose}
                  />
                ))}
              </div>
            ),
          )}
        </div>
        <p class="hint" role="status">
          {summary(text, isAsking, hits.length)}
        </p>
      </form>
    </Dialog>
  )
}

function HitLine({ id, hit, isChosen, onOpen }: { id: string; hit: Hit; isChosen: boolean; onOpen: () => void }) {
  const line = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isChosen) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <a ref={line} id={id} role="option" aria-selected={isChosen} href={hit.href} tabIndex={-1} onClick={onOpen}>
      <span class="hit-group">{hit.group}</span>
      <span class="hit-name">
        <bdi>{hit.name}</bdi>
      </span>
      <span class="hit-detail">
        <bdi>{hit.detail}</bdi>
      </span>
    </a>
  )
}

function summary(text: string, isAsking: boolean, hits: number): string {
  if (text.trim().length < askedFrom) return 'Type two characters or more. Arrow keys choose, Enter opens.'
  if (isAsking) return 'Looking…'
  return hits === 0
    ? 'Nothing was found. A record is found by words of its name, its slug, its URL or its e-mail address; anything else by its whole id.'
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
