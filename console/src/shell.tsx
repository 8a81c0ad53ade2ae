import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Icon } from './elements/icon.tsx'
import { errorText, Notice } from './elements/notice.tsx'
import { Toasts } from './elements/toast.tsx'
import logo from './logo.svg'
import { pages } from './pages.ts'
import { hrefTo } from './router.ts'
import { SearchButton, SearchDialog, useSearchKey } from './search/search-button.tsx'
import { useSession, useSessionState } from './session.tsx'
import { ThemeToggle } from './theme/theme-toggle.tsx'
import { useAction } from './use-action.ts'

interface Props {
  /** Name of the current page. */
  current: string
  /** The URL hash. It is also an attribute of the page, so that tests can see which page is shown. */
  address: string
  children: ComponentChildren
}

/** The frame around every page, with the menu at the side or, on a phone, behind a button. */
export function Shell({ current, address, children }: Props) {
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState(false)
  const search = useCallback(() => setSearching(true), [])
  useSearchKey(search)
  useEffect(() => setOpen(false), [current])
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])
  return (
    <div class={open ? 'shell open' : 'shell'}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the page
      </a>
      <header class="top">
        <button
          type="button"
          class="button quiet menu-button"
          aria-label="Menu"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} size={20} />
        </button>
        <Brand />
        <SearchButton onOpen={search} />
      </header>
      <aside class="side" id="menu">
        <Brand />
        <SearchButton onOpen={search} />
        <Menu current={current} />
        <Foot />
      </aside>
      <button type="button" class="scrim" tabIndex={-1} aria-hidden="true" onClick={() => setOpen(false)} />
      <main id="main" class="main" tabIndex={-1} data-address={address}>
        {children}
      </main>
      <Toasts />
      {searching ? <SearchDialog onClose={() => setSearching(false)} /> : null}
    </div>
  )
}

/** Moves the focus by script, because the URL hash is the route and cannot be an anchor. */
function focusMain(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

function Brand() {
  return (
    <a class="brand" href="#/overview">
      <img src={logo} width={24} height={24} alt="" />
      <span>Vitae</span>
    </a>
  )
}

function Menu({ current }: { current: string }) {
  const session = useSession()
  const shown = pages.filter(({ needs }) => session.capabilities.includes(needs))
  return (
    <nav aria-label="Pages">
      <ul class="menu">
        {shown.map(({ name, title, icon }) => (
          <li key={name}>
            <a href={hrefTo([name])} aria-current={name === current ? 'page' : undefined}>
              <Icon name={icon} size={18} />
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Foot() {
  const { signOut } = useSessionState()
  const action = useAction()
  const session = useSession()
  const { actor, actor_name, role, project } = session
  const name = actor_name ?? actor.replace(/^person:/, '')
  const where = project ? `${role} of ${project}` : `${role}, all projects`
  return (
    <div class="side-foot">
      <p class="who">
        <strong>
          <bdi title={actor}>{name}</bdi>
        </strong>
        <span class="faint">{name === role ? 'all projects' : where}</span>
      </p>
      <div class="side-tools">
        <ThemeToggle />
        <button
          type="button"
          class="button quiet small"
          disabled={action.busy}
          onClick={() => void action.run(signOut)}
        >
          <Icon name="out" />
          <span>Sign out</span>
        </button>
      </div>
      {action.error ? <Notice tone="danger">You are still signed in: {errorText(action.error)}</Notice> : null}
      <p class="side-links">
        <a href="/docs">API reference</a>
        <a href="/">Landing page</a>
      </p>
    </div>
  )
}
