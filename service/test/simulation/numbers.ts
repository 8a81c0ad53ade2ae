/** The numbers of a text such as `3,5,9-12`. */
export function numbersIn(text: string): Set<number> {
  const parts = text.split(',').map((part) => part.split('-').map(Number))
  return new Set(
    parts.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
  )
}

/** Formats ascending numbers like `3,5,9-12`. */
export function textOf(numbers: readonly number[]): string {
  const runs: number[][] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last && last.at(-1) === number - 1) last.push(number)
    else runs.push([number])
  }
  return runs.map((run) => (run.length === 1 ? `${run[0]}` : `${run[0]}-${run.at(-1)}`)).join(',')
}
