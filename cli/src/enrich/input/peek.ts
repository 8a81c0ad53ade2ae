/** Reads the first pieces of a source until `enough`, and returns them together with the whole source. */
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
