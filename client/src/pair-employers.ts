import type { ExperienceGroup } from './contract.generated.ts'

type Pair = [before: ExperienceGroup, after: ExperienceGroup]
type Pairs = { stayed: Pair[]; left: ExperienceGroup[]; joined: ExperienceGroup[] }

/**
 * Which employers stayed, left and joined, or null where it cannot be told. Ids decide. Where one has no id of the
 * platform, an equal page or name proves that it is the same; a different one proves nothing, so what is then left over
 * on both sides may be one and the same employer.
 */
export function pairEmployers(before: ExperienceGroup[], after: ExperienceGroup[]): Pairs | null {
  const left = uniqueById(before)
  const joined = uniqueById(after)
  const stayed = [haveSameId, haveSamePage, haveSameName].flatMap((match) => takePairs(left, joined, match))
  const isUnclear = left.some((before) => joined.some((after) => !areComparable(before, after)))
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

/** Two of these that differ are two companies; one derived from a page may be the same as one of these. */
const hasPlatformId = ({ company_id: id }: ExperienceGroup) => id !== null && !/^vitae-[\da-f]{16}$/.test(id)

/** Whether different ids prove different employers: both are of one sort. */
const areComparable = (before: ExperienceGroup, after: ExperienceGroup) =>
  before.company_id !== null && after.company_id !== null && hasPlatformId(before) === hasPlatformId(after)

const haveSameId = (before: ExperienceGroup, after: ExperienceGroup) =>
  before.company_id !== null && before.company_id === after.company_id

function haveSamePage(before: ExperienceGroup, after: ExperienceGroup): boolean {
  return !areComparable(before, after) && before.company_url !== null && before.company_url === after.company_url
}

function haveSameName(before: ExperienceGroup, after: ExperienceGroup): boolean {
  if (areComparable(before, after)) return false
  const name = normalName(before)
  return name !== '' && name === normalName(after)
}

const normalName = (group: ExperienceGroup) => (group.company_name ?? '').normalize('NFKC').trim().toLowerCase()
