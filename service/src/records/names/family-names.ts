import rows from './family-names.json' with { type: 'json' }

/*
 * A Chinese or Korean family name has different Latin spellings per dialect and system, and they may look nothing
 * alike. Each line of `family-names.json` lists the spellings of one name.
 */
const spellings = rows.map((row) => row.split(' '))

/** True if two folded words are known spellings of one such name. */
export function isRomanisedAlike(one: string, other: string): boolean {
  return spellings.some((all) => all.includes(one) && all.includes(other))
}
