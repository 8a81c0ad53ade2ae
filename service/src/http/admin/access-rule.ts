import type { Role } from '../../accounts/token-operations.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Admin } from './access.ts'

/**
 * Who may use a route. `needed` names the role that it is for. `scope` is what a token of one project gets: calls about
 * its own project, its own part of an answer, or nothing because the route is about the whole service.
 */
export interface AccessRule {
  operationId: string
  needed: Role
  scope: 'own project' | 'own part' | 'whole service'
}

/** The roles that a route is open to. `billing` and `operator` do not include each other. */
export const rolesThatMay: Record<Role, readonly Role[]> = {
  viewer: ['viewer', 'operator', 'billing', 'owner'],
  operator: ['operator', 'owner'],
  billing: ['billing', 'owner'],
  owner: ['owner'],
}

/** Why the rule refuses this admin on every project; null when it does not. */
function refusal({ needed, scope }: AccessRule, admin: Admin): string | null {
  const { role, project } = admin
  if (!rolesThatMay[needed].includes(role))
    return `This needs the role ${rolesThatMay[needed].join(' or ')}; yours is ${role}.`
  if (project === null) return null
  if (scope === 'whole service') return `You are limited to project ${project}, and this is about the whole service.`
  // Whoever runs a project does not decide what it may spend.
  if (needed === 'billing' && role !== 'billing')
    return `Limited to project ${project}, this needs the role billing; yours is ${role}.`
  return null
}

/** Whether the admin may use the route at all; the console offers only such things. */
export function mayUse(rule: AccessRule, admin: Admin): boolean {
  return refusal(rule, admin) === null
}

/** Refuses an admin whose role or project does not cover the route. */
export function checkAccess(rule: AccessRule, admin: Admin): void {
  const detail = refusal(rule, admin)
  if (detail !== null) throw new Failure('admin_role_too_low', { detail })
}

/** A token of one project works on that project only. */
export function checkProject(admin: Admin, project: string | null): void {
  if (admin.project === null || admin.project === project) return
  throw new Failure('admin_role_too_low', { detail: `You are limited to project ${admin.project}.` })
}
