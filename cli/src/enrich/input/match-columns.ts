import type { Kind } from '@vitae/contract'
import { CommandError } from '../../command-error.ts'

/** Match signals with the columns that hold them. */
export type MatchColumns = Readonly<Record<string, string>>

/** The options that name match columns. */
export interface MatchOptions {
  emailColumn?: string
  phoneColumn?: string
  nameColumn?: string
  firstNameColumn?: string
  lastNameColumn?: string
  companyColumn?: string
  domainColumn?: string
  countryColumn?: string
}

const ofKind: Record<Kind, Partial<Record<keyof MatchOptions, string>>> = {
  people: {
    emailColumn: 'email',
    phoneColumn: 'phone',
    nameColumn: 'name',
    firstNameColumn: 'firstName',
    lastNameColumn: 'lastName',
    companyColumn: 'company',
    domainColumn: 'companyDomain',
  },
  companies: { nameColumn: 'name', domainColumn: 'domain', countryColumn: 'country' },
}
const flags: Record<keyof MatchOptions, string> = {
  emailColumn: '--email-column',
  phoneColumn: '--phone-column',
  nameColumn: '--name-column',
  firstNameColumn: '--first-name-column',
  lastNameColumn: '--last-name-column',
  companyColumn: '--company-column',
  domainColumn: '--domain-column',
  countryColumn: '--country-column',
}

/** Reads the match columns; null if rows are looked up by `--column`. One of the two is required. */
export function readMatchColumns(
  kind: Kind,
  options: MatchOptions & { column?: string | undefined },
): MatchColumns | null {
  const given = (Object.keys(flags) as (keyof MatchOptions)[]).filter((name) => options[name] !== undefined)
  const strange = given.find((name) => ofKind[kind][name] === undefined)
  if (strange) throw new CommandError(`${flags[strange]} cannot be used for ${kind}.`, { exitCode: 2 })
  if (given.length === 0 && options.column === undefined)
    throw new CommandError(
      'Give --column with the ids, or the columns of a match such as --email-column. See vitae enrich --help.',
      { exitCode: 2 },
    )
  if (given.length > 0 && options.column !== undefined)
    throw new CommandError('Rows are looked up by --column or matched by other columns, not both.', { exitCode: 2 })
  if (given.length === 0) return null
  return Object.fromEntries(given.map((name) => [ofKind[kind][name] ?? '', options[name] ?? '']))
}
