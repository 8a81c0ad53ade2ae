import type { ComponentChildren } from 'preact'
import { Origin } from './origin.tsx'

/** Initials in place of a picture, because the console never loads pictures. */
export function Monogram({ name, square }: { name: string; square?: boolean }) {
  const words = name.split(/\s+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''))
  return (
    <span class={square ? 'monogram square' : 'monogram'} aria-hidden="true" dir="auto">
      {letters.join('').toUpperCase() || '?'}
    </span>
  )
}

/**
 * The name as the heading of a card. A hidden heading replaces it, so that the order of heading levels stays correct.
 */
export function CardName({ name, isShown }: { name: string; isShown: boolean }) {
  if (!isShown) return <h2 class="sr-only">At a glance</h2>
  return (
    <h2 class="card-name" dir="auto">
      {name}
    </h2>
  )
}

/** Joins texts in one line. Unicode isolates keep right-to-left and left-to-right texts from affecting each other. */
export function joined(parts: readonly (string | null | undefined)[], between = ', '): string {
  return parts
    .filter(Boolean)
    .map((part) => `\u2068${part}\u2069`)
    .join(between)
}

/** A URL of a record. Only http and https URLs become links, so that no script URL can be clicked. */
export function WebLink({ url }: { url: string | null }) {
  if (url === null) return null
  return /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  ) : (
    <bdi>{url}</bdi>
  )
}

interface CardSectionProps {
  title: string
  count: number
  /** The unit of the record whose origin is shown. */
  unit?: string
  children: ComponentChildren
}

/** A section of a card; renders nothing if `count` is 0. */
export function CardSection({ title, count, unit, children }: CardSectionProps) {
  if (count === 0) return null
  return (
    <section class="card-section">
      <h3>{title}</h3>
      {unit ? <Origin unit={unit} /> : null}
      {children}
    </section>
  )
}

/** A row of short words. */
export function Chips({ words }: { words: readonly string[] }) {
  return (
    <ul class="chips">
      {words.map((word, index) => (
        <li key={`${index} ${word}`} dir="auto">
          {word}
        </li>
      ))}
    </ul>
  )
}
