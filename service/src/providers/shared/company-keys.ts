/**
 * One key per row, the same for rows that share any of their keys: a company may come with its id in one row and only
 * with its page in the next.
 */
export function joinedKeys(rows: (string | null)[][]): (string | null)[] {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    const parent = parents.get(key)
    return parent === undefined || parent === key ? key : rootOf(parent)
  }
  const known = rows.map((keys) => keys.filter((key) => key !== null))
  for (const [first, ...others] of known) {
    for (const other of others) if (first !== undefined) parents.set(rootOf(other), rootOf(first))
  }
  return known.map(([first]) => (first === undefined ? null : rootOf(first)))
}
