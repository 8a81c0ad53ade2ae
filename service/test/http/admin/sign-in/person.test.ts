import { expect, test } from 'vitest'
import { readPerson, roleOf } from '../../../../src/http/admin/sign-in/person.ts'

test.each([
  { claim: 'groups', claims: { groups: ['a', 'b', 7, null] }, groups: ['a', 'b'] },
  { claim: 'groups', claims: { groups: 'a' }, groups: ['a'] },
  { claim: 'realm_access.roles', claims: { realm_access: { roles: ['a'] } }, groups: ['a'] },
  { claim: 'https://team.example/groups', claims: { 'https://team.example/groups': ['a'] }, groups: ['a'] },
  { claim: 'constructor.name', claims: {}, groups: [] },
  { claim: 'groups', claims: { groups: { a: true } }, groups: [] },
])('groups in $claim are read as $groups', ({ claim, claims, groups }) => {
  expect(readPerson(claims, 'ada', claim).groups).toEqual(groups)
})

test.each([
  { claims: { email: 'ada@team.example', email_verified: true }, actor: 'person:ada@team.example' },
  { claims: { email: 'ada@team.example', email_verified: 'true' }, actor: 'person:ada@team.example' },
  { claims: { email: 'owner@team.example', preferred_username: 'ada' }, actor: 'person:ada' },
  { claims: { email: 'owner@team.example', preferred_username: 'owner@team.example' }, actor: 'person:subject-1' },
  { claims: { email: 'owner@team.example', email_verified: false, preferred_username: 'ada' }, actor: 'person:ada' },
  { claims: { email: '' }, actor: 'person:subject-1' },
  { claims: { preferred_username: 'ada\n\u202Eowner' }, actor: 'person:ada owner' },
])('the audit log gets $actor', ({ claims, actor }) => {
  expect(readPerson(claims, 'subject-1', 'groups').actor).toBe(actor)
})

test('the first matching entry decides the role, and no match means no role', () => {
  const oidc = {
    issuer: '',
    clientId: '',
    clientSecret: null,
    scopes: '',
    roleClaim: 'groups',
    roles: [
      { group: 'admins', role: 'owner', project: null },
      { group: 'team', role: 'operator', project: 'acme' },
    ] as const,
  }

  expect(roleOf(oidc, ['team', 'admins'])?.role).toBe('owner')
  expect(roleOf(oidc, ['team'])?.project).toBe('acme')
  expect(roleOf(oidc, ['Admins', 'admin'])).toBeNull()
})
