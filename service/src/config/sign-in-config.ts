import { roles, type Role } from '@vitae/contract/admin'
import { isLoopbackName } from '../foundation/networks.ts'
import type { EnvironmentReader } from './environment.ts'

/** One entry of `VITAE_OIDC_ROLES`: members of the group have the role, for all projects or for one. */
export interface GroupRole {
  group: string
  role: Role
  project: string | null
}

/** The identity provider that people sign in with. */
export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: string | null
  scopes: string
  roleClaim: string
  roles: readonly GroupRole[]
}

export interface SignInConfig {
  /** The address at which browsers reach the console, without a path. */
  publicUrl: string | null
  sessionMs: number
  /** A session that is idle for this long ends. */
  idleMs: number
  /** Whether the console accepts admin tokens. */
  token: boolean
  oidc: OidcConfig | null
}

/** Reads how people sign in to the console. */
export function readSignIn(read: EnvironmentReader): SignInConfig {
  const publicUrl = read.optional(
    'VITAE_PUBLIC_URL',
    `${origin} and no path, such as https://vitae.example.com`,
    (text) => (isSafe(text) && /^[/?#]*$/.test(text.slice(new URL(text).origin.length)) ? new URL(text).origin : null),
  )
  return {
    publicUrl,
    sessionMs: read.integer('VITAE_SESSION_HOURS', 8, { min: 1, max: 8_760 }) * 3_600_000,
    idleMs: read.integer('VITAE_SESSION_IDLE_MINUTES', 60, { min: 1, max: 525_600 }) * 60_000,
    token: read.flag('VITAE_TOKEN_SIGN_IN', true),
    oidc: readOidc(read, publicUrl),
  }
}

function readOidc(read: EnvironmentReader, publicUrl: string | null): OidcConfig | null {
  const issuer = read.optional('VITAE_OIDC_ISSUER', origin, (text) => (isSafe(text) ? text : null))
  const clientId = read.text('VITAE_OIDC_CLIENT_ID')
  const groups = read.optional(
    'VITAE_OIDC_ROLES',
    `entries such as vitae-admins=owner,acme-team=operator:acme`,
    readRoles,
  )
  const settings = {
    clientSecret: read.secret('VITAE_OIDC_CLIENT_SECRET'),
    scopes: withOpenid(read.text('VITAE_OIDC_SCOPES', 'openid profile email')),
    roleClaim: read.text('VITAE_OIDC_ROLE_CLAIM', 'groups'),
  }
  if (issuer === null) return null
  if (read.text('VITAE_PUBLIC_URL') === null)
    complain(read, 'VITAE_PUBLIC_URL', 'the address of the console in browsers')
  if (clientId === null) complain(read, 'VITAE_OIDC_CLIENT_ID', 'the client that the issuer knows Vitae as')
  if (read.text('VITAE_OIDC_ROLES') === null) complain(read, 'VITAE_OIDC_ROLES', 'which group has which role')
  if (publicUrl === null || clientId === null || groups === null) return null
  return { issuer, clientId, roles: groups, ...settings }
}

function complain(read: EnvironmentReader, name: string, wants: string): void {
  read.complaints.push(`${name} is not set, but VITAE_OIDC_ISSUER is: give ${wants}`)
}

const origin = 'a URL that begins with https://, or with http:// on loopback'

/** Codes and cookies travel to these addresses, so http: is allowed only on loopback. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}

function withOpenid(scopes: string): string {
  return [...new Set(['openid', ...scopes.split(/[\s,]+/)])].filter(Boolean).join(' ')
}

/** `group=role` or `group=role:project`, separated by commas. A comma in a group's name is written %2C, a % as %25. */
export function readRoles(text: string): GroupRole[] | null {
  const entries = text.split(',').filter((entry) => entry.trim() !== '')
  const read = entries.map(readEntry)
  return read.length > 0 && read.every((entry) => entry !== null) ? read : null
}

function readEntry(entry: string): GroupRole | null {
  const cut = entry.lastIndexOf('=')
  const [name = '', ...rest] = entry
    .slice(cut + 1)
    .trim()
    .split(':')
  const role = roles.find((known) => known === name)
  const group = decoded(entry.slice(0, Math.max(cut, 0)).trim())
  const project = rest.join(':')
  if (!group || !role || (rest.length > 0 && project === '')) return null
  return { group, role, project: rest.length > 0 ? project : null }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
