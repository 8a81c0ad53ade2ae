import type { Company } from '../contract.generated.ts'

/**
 * The best estimate of the headcount: the count, else the middle of the bracket, else the floor of the open-ended top
 * bracket, else null. Ignores the number of followers.
 */
export function estimateHeadcount(company: Pick<Company, 'staff_info'>): number | null {
  const count = company.staff_info?.staff_count ?? null
  if (count !== null) return count
  const { start = null, end = null } = company.staff_info?.staff_range ?? {}
  if (start === null || end === null) return start
  return Math.round((start + end) / 2)
}
