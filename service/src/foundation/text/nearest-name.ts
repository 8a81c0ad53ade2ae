/** Longer than every known name. Comparing two names costs the product of their lengths. */
const comparedAtMost = 80

/** The name that was probably meant; null if none is near. Case is ignored. */
export function nearestName(given: string, names: Iterable<string>): string | null {
  if (given.length > comparedAtMost) return null
  let best: { name: string; distance: number } | null = null
  for (const name of names) {
    if (name.length > comparedAtMost) continue
    const distance = editDistance(given.toLowerCase(), name.toLowerCase())
    if (distance < (best?.distance ?? Infinity)) best = { name, distance }
  }
  return best && best.distance <= Math.max(2, Math.floor(given.length / 2)) ? best.name : null
}

/** The number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Infinity
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1))
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
