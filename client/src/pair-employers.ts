import type { ExperienceGroup } from './contract.generated.ts'

type Pair = [before: ExperienceGroup, after: ExperienceGroup]
type Pairs = { stayed: Pair[]; left: ExperienceGroup[]; joined: ExperienceGroup[] }

/**
 * Which employers stayed, left and joined, or null where it cannot be told. Ids decide. Where one has none, an equal
 * name proves that it is the same; a different name proves nothing, so what is then left over on both sides may be one
 * and the same employer.
 */
export function pairEmployers(before: ExperienceGroup[], after: ExperienceGroup[]): Pairs | null {
  const left = uniqueById(before)
  const joined = uniqueById(after)
  const stayed = [...takePairs(left, joined, haveSameId), ...takePairs(left, joined, haveSameName)]
  const isUnclear = left.length > 0 && joined.length > 0 && [...left, ...joined].some(hasNoId)
  return isUnclear ? null : { stayed, left, joined }
}

/** Moves every pair that matches out of both lists. */
function takePairs(left: ExperienceGroup[], joined: ExperienceGroup[], match: (...pair: Pair) => boolean): Pair[] {
  return [...left].flatMap((before): Pair[] => {
    const after = joined.find((candidate) => match(before, candidate))
    if (!after) return []
    left.splice(left.indexOf(before), 1)
    joined.splice(joined.indexOf(after), 1)
    return [[before, after]]
  })
}

/** An employer that stands in two groups, after a return, is one employer with the positions of both. */
function uniqueById(groups: ExperienceGroup[]): ExperienceGroup[] {
  const found = new Map<unknown, ExperienceGroup>()
  for (const group of groups) {
    const key = group.company_id ?? group
    const known = found.get(key)
    found.set(key, known ? { ...known, positions: [...known.positions, ...group.positions] } : group)
  }
  return [...found.values()]
}

const hasNoId = (group: ExperienceGroup) => group.company_id === null

const haveSameId = (before: ExperienceGroup, after: ExperienceGroup) =>
  before.company_id !== null && before.company_id === after.company_id

function haveSameName(before: ExperienceGroup, after: ExperienceGroup): boolean {
  if (!hasNoId(before) && !hasNoId(after)) return false
  const name = normalName(before)
  return name !== '' && name === normalName(after)
}

const normalName = (group: ExperienceGroup) => (group.company_name ?? '').normalize('NFKC').trim().toLowerCase()
