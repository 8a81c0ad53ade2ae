import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { listHref } from '../router.ts'
import { otherZone, switchZone, zoneName } from '../zone.ts'

/** The heading of a page. It takes the focus when the page opens, so that a screen reader starts there. */
export function PageHead({
  title,
  children,
  actions,
}: {
  title: string
  children?: ComponentChildren
  actions?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Vitae`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1} dir="auto" title={title.length > 60 ? title : undefined}>
          {title}
        </h1>
        {children ? <p class="lead">{children}</p> : null}
        <ZoneSwitch />
      </div>
      {actions ? <div class="actions">{actions}</div> : null}
    </div>
  )
}

/** Names the zone of every time on the page, and switches it. */
function ZoneSwitch() {
  const other = otherZone()
  return (
    <p class="zone">
      Times and days in {zoneName()}
      {other ? (
        <button type="button" class="link" onClick={switchZone}>
          Show {other === 'UTC' ? other : `local time, ${other}`}
        </button>
      ) : null}
    </p>
  )
}

/** Link back to the list of this page, with the filters and cursor that the list last had. */
export function Back({ to, children }: { to: [string, ...string[]]; children: string }) {
  return (
    <a class="back" href={listHref(...to)}>
      {children}
    </a>
  )
}

/** A framed part of a page. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="panel">
      {title || actions ? (
        <header class="panel-head">
          <h2>{title}</h2>
          {actions ? <div class="actions">{actions}</div> : null}
        </header>
      ) : null}
      {children}
    </section>
  )
}

/** Links between the parts of one page. */
export function Tabs({ label, tabs }: { label: string; tabs: { text: string; href: string; current: boolean }[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, current }) => (
        <a key={text} href={href} aria-current={current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
