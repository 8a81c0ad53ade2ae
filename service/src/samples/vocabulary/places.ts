import table from './places.json' with { type: 'json' }

/** A name in its own script, and in Latin letters for slugs. */
export interface Name {
  text: string
  latin: string
}

export interface Place {
  country: string
  code: string
  currency: string
  language: string
  /** City, area and postal code. */
  cities: [city: string, area: string, postalCode: string][]
  streets: string[]
  firstNames: Name[]
  lastNames: Name[]
  /** Company groups named in the script of the place. */
  groups: Name[]
  schools: Name[]
  /** Mottos in the language of the place. */
  mottos: string[]
}

/**
 * Parses `text:latin` pairs between semicolons, because a name may contain a comma; without a colon, the name is its
 * own Latin form.
 */
const names = (pairs: string): Name[] =>
  pairs.split('; ').map((pair) => {
    const [text = '', latin = text] = pair.split(':')
    return { text, latin }
  })

export const places: readonly Place[] = table.map(({ cities, firstNames, lastNames, groups, schools, ...place }) => ({
  ...place,
  cities: cities.map(([city = '', area = '', postalCode = '']): Place['cities'][number] => [city, area, postalCode]),
  firstNames: names(firstNames),
  lastNames: names(lastNames),
  groups: names(groups),
  schools: names(schools),
}))
