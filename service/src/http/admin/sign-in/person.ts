import type { GroupRole, OidcConfig } from '../../../config/sign-in-config.ts'

type Claims = Readonly<Record<string, unknown>>

/** A person as the identity provider describes them. */
export interface Person {
  /** Their name in the audit log. */
  actor: string
  /** Their permanent id at the identity provider. */
  subject: string
  groups: readonly string[]
}

/** Reads a person from the claims; `roleClaim` names the claim with the groups. */
export function readPerson(claims: Claims, subject: string, roleClaim: string): Person {
  // A person may enter another person's address, as e-mail or as user name. Some issuers send the flag as text.
  const email = String(claims['email_verified']) === 'true' ? claims['email'] : null
  const userName = claims['preferred_username']
  const names = [email, String(userName).includes('@') ? null : userName, subject]
  const name = names.find((value) => typeof value === 'string' && value !== '')
  return {
    actor: `person:${printable(String(name))}`,
    subject: printable(subject),
    groups: groupsOf(claims, roleClaim),
  }
}

/** Whether the claims contain groups; otherwise the user info endpoint may. */
export function hasGroups(claims: Claims, roleClaim: string): boolean {
  return claimOf(claims, roleClaim) !== undefined
}

/** The first configured role of any of the groups: operators list the strongest first. */
export function roleOf({ roles }: OidcConfig, groups: readonly string[]): GroupRole | null {
  return roles.find(({ group }) => groups.includes(group)) ?? null
}

function groupsOf(claims: Claims, roleClaim: string): string[] {
  const value = claimOf(claims, roleClaim)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((group) => typeof group === 'string')
}

/**
 * The claim with this name, or else at this dotted path (`realm_access.roles`). The name comes first, because names
 * such as `https://a.example/b` contain dots.
 */
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
