/** The first pieces of a source, as many as are enough, and the whole source with them. */
export async function peek<T>(source: AsyncIterable<T>, enough: (pieces: readonly T[]) => boolean) {
  const rest = source[Symbol.asyncIterator]()
  const pieces: T[] = []
  while (!enough(pieces)) {
    const next = await rest.next()
    if (next.done) break
    pieces.push(next.value)
  }
  async function* all(): AsyncGenerator<T> {
    yield* pieces
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { pieces, all: all() }
}
