import type { ComponentChildren } from 'preact'
import { Origin } from './origin.tsx'

/** One or two letters in place of a picture: no picture is ever fetched. */
export function Monogram({ name, square }: { name: string; square?: boolean }) {
  const words = name.split(/\s+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''))
  return (
    <span class={square ? 'monogram square' : 'monogram'} aria-hidden="true" dir="auto">
      {letters.join('').toUpperCase() || '?'}
    </span>
  )
}

/** Whose card it is, where nothing above says so. The headings of a card begin with one in any case. */
export function CardName({ name, isShown }: { name: string; isShown: boolean }) {
  if (!isShown) return <h2 class="sr-only">At a glance</h2>
  return (
    <h2 class="card-name" dir="auto">
      {name}
    </h2>
  )
}

/** Texts of a record in one line. Each keeps its own direction, and none turns the others round. */
export function joined(parts: readonly (string | null | undefined)[], between = ', '): string {
  return parts
    .filter(Boolean)
    .map((part) => `\u2068${part}\u2069`)
    .join(between)
}

/** A URL of a record. Only web addresses become links; anything else stays the text it is. */
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
  /** The unit of the record that it shows. */
  unit?: string
  children: ComponentChildren
}

/** A titled part of a card; nothing where there is nothing in it. */
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

/** Short words side by side. */
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
