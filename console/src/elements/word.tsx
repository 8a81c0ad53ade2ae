/**
 * A name or id in a list. It may break after a slash, a dot, a colon or an underscore, and nowhere else; a part that is still too
 * long ends with an ellipsis, and the whole is its title.
 */
export function Word({ text }: { text: string }) {
  const parts = text.split(/(?<=[/._:])/)
  return (
    <bdi class="word" title={text}>
      {parts.flatMap((part, place) => (place === 0 ? [part] : [<wbr />, part]))}
    </bdi>
  )
}
