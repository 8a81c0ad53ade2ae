/** A choice between a few views of one page; each view has its own URL. */
export function Segments({
  label,
  options,
  current,
  hrefOf,
}: {
  label: string
  options: readonly string[]
  current: string
  hrefOf: (option: string) => string
}) {
  return (
    <nav class="segments" aria-label={label}>
      {options.map((option) => (
        <a key={option} href={hrefOf(option)} aria-current={option === current ? 'true' : undefined}>
          {option[0]?.toUpperCase()}
          {option.slice(1)}
        </a>
      ))}
    </nav>
  )
}
