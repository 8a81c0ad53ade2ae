import rows from './first-names.json' with { type: 'json' }

/*
 * Each line of `first-names.json` is one name: its forms in several languages and its short forms. A short form may be
 * on several lines. Decision 76 describes the source of the list.
 */

const lines: ReadonlyMap<string, ReadonlySet<number>> = index()
const heads = rows.map((row) => row.split(' ', 1)[0] ?? '')

function index(): Map<string, Set<number>> {
  const all = new Map<string, Set<number>>()
  for (const [at, row] of rows.entries()) {
    for (const name of row.split(' ')) {
      const key = firstNameKey(name)
      const known = all.get(key)
      if (known) known.add(at)
      else all.set(key, new Set([at]))
    }
  }
  return all
}

/** A Latin first name without mere spelling differences: `Nikolaj` and `Nikolay`, `Kathrin` and `Katrin`. */
export function firstNameKey(name: string): string {
  return name
    .replace(/(?<=[aou])e(?=.)/g, '')
    .replace(/sch/g, 'sh')
    .replace(/ph/g, 'f')
    .replace(/th/g, 't')
    .replace(/ck|c(?![ehiyz])|q/g, 'k')
    .replace(/x/g, 'ks')
    .replace(/w/g, 'v')
    .replace(/[jy]/g, 'i')
    .replace(/(.)\1+/g, '$1')
}

/** Whether the list contains a name. */
export function isListed(name: string): boolean {
  return lines.has(firstNameKey(name))
}

/** True if the list has both as forms of one name. */
export function areForms(one: string, other: string): boolean {
  const its = lines.get(firstNameKey(other))
  return its !== undefined && [...(lines.get(firstNameKey(one)) ?? [])].some((line) => its.has(line))
}

/** The full names that have this name as a form. */
export function fullNamesOf(name: string): string[] {
  return Array.from(lines.get(firstNameKey(name)) ?? [], (line) => heads[line] ?? '')
}
