/**
 * A name or id in a list. Lines break only after a slash, dot, colon or underscore. A part that is still too long ends
 * with an ellipsis; the title shows the full text.
 */
export function Word({ text }: { text: string }) {
  const parts = text.split(/(?<=[/._:])/)
  return (
    <bdi class="word" title={text}>
      {parts.flatMap((part, place) => (place === 0 ? [part] : [<wbr />, part]))}
    </bdi>
  )
}
