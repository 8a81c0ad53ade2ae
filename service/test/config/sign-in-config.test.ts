import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { roles } from '@vitae/contract/admin'
import { readConfig } from '../../src/config/config.ts'
import { publicSettings } from '../../src/config/explain-settings.ts'
import { readRoles } from '../../src/config/sign-in-config.ts'

const oidc = {
  VITAE_PUBLIC_URL: 'https://vitae.example.com/',
  VITAE_OIDC_ISSUER: 'https://login.example.com/realms/team/',
  VITAE_OIDC_CLIENT_ID: 'vitae',
  VITAE_OIDC_CLIENT_SECRET: 'not-to-be-shown',
  VITAE_OIDC_ROLES: 'vitae-admins=owner, acme-team=operator:acme',
}

test('every list of groups and roles is parsed as written, for any group names', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() === text)
  const entry = fc.record({
    group: name,
    role: fc.constantFrom(...roles),
    project: fc.option(fc.stringMatching(/^[a-z][a-z\d-]{0,20}$/)),
  })
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
      const written = entries.map(({ group, role, project }) => {
        const escaped = group.replaceAll(/[%,]/g, encodeURIComponent)
        return `${escaped}=${role}${project === null ? '' : `:${project}`}`
      })
      expect(readRoles(written.join(','))).toEqual(entries)
    }),
  )
})

test.each(['vitae-admins', '=owner', 'team=chief', 'team=operator:', 'good=owner,bad', '%E0%A4%A=owner', ','])(
  'a start with VITAE_OIDC_ROLES %j fails with a clear line',
  (text) => {
    expect(() => readConfig({ ...oidc, VITAE_OIDC_ROLES: text })).toThrow(
      /^VITAE_OIDC_ROLES is .* but must be entries such as/,
    )
  },
)

test.each([
  ['VITAE_PUBLIC_URL', 'http://vitae.example.com'],
  ['VITAE_PUBLIC_URL', 'https://vitae.example.com/console'],
  ['VITAE_PUBLIC_URL', 'https://somebody@vitae.example.com'],
  ['VITAE_OIDC_ISSUER', 'http://login.example.com'],
  ['VITAE_SESSION_HOURS', '0'],
])('%s is not accepted as %s', (name, value) => {
  expect(() => readConfig({ ...oidc, [name]: value })).toThrow(new RegExp(`^${name} is .* but must be `))
})

test.each(['VITAE_PUBLIC_URL', 'VITAE_OIDC_CLIENT_ID', 'VITAE_OIDC_ROLES'])(
  'an issuer without %s is refused at the start',
  (name) => {
    expect(() => readConfig({ ...oidc, [name]: undefined })).toThrow(`${name} is not set, but VITAE_OIDC_ISSUER is`)
  },
)

test('the client secret may be in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'client-secret')
  writeFileSync(file, 'from a file\n', { mode: 0o600 })
  const { VITAE_OIDC_CLIENT_SECRET: _, ...others } = oidc

  const config = readConfig({ ...others, VITAE_OIDC_CLIENT_SECRET_FILE: file })

  expect(config.signIn.oidc?.clientSecret).toBe('from a file')
})

test('the issuer keeps its own spelling, openid is always requested, and the secret is not shown', () => {
  const config = readConfig({ ...oidc, VITAE_OIDC_SCOPES: 'email groups' })

  expect(config.signIn).toMatchObject({
    publicUrl: 'https://vitae.example.com',
    idleMs: 3_600_000,
    oidc: { issuer: 'https://login.example.com/realms/team/', scopes: 'openid email groups', roleClaim: 'groups' },
  })
  expect(JSON.stringify(publicSettings(config))).not.toContain('not-to-be-shown')
})
