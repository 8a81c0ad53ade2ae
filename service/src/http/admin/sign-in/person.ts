import type { GroupRole, OidcConfig } from '../../../config/sign-in-config.ts'

type Claims = Readonly<Record<string, unknown>>

/** What the identity provider says about somebody. */
export interface Person {
  /** As the audit log names them. */
  actor: string
  /** Their id at the identity provider, which never changes. */
  subject: string
  groups: readonly string[]
}

/** Reads a person out of the claims; `roleClaim` names the one that holds the groups. */
export function readPerson(claims: Claims, subject: string, roleClaim: string): Person {
  const email = claims['email_verified'] === false ? null : claims['email']
  const name = [email, claims['preferred_username'], subject].find((value) => typeof value === 'string' && value !== '')
  return {
    actor: `person:${printable(String(name))}`,
    subject: printable(subject),
    groups: groupsOf(claims, roleClaim),
  }
}

/** Whether the claims say anything about groups; where they do not, the user info endpoint may. */
export function hasGroups(claims: Claims, roleClaim: string): boolean {
  return claimOf(claims, roleClaim) !== undefined
}

/** The first entry that names one of the groups: operators put the strongest first. */
export function roleOf({ roles }: OidcConfig, groups: readonly string[]): GroupRole | null {
  return roles.find(({ group }) => groups.includes(group)) ?? null
}

function groupsOf(claims: Claims, roleClaim: string): string[] {
  const value = claimOf(claims, roleClaim)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((group) => typeof group === 'string')
}

/** The claim of that name, or else the path that it spells: `realm_access.roles`. Names such as `https://a.example/b` have dots too. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }, claims)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function printable(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
