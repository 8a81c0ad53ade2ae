import type { ExperienceGroup } from '../contract.generated.ts'

type Pair = [before: ExperienceGroup, after: ExperienceGroup]
type Pairs = { stayed: Pair[]; left: ExperienceGroup[]; joined: ExperienceGroup[] }

/**
 * The employers that stayed, left and joined, or null if the records do not show it. Ids decide. If one employer has no
 * platform id, an equal page or name proves that both are the same. A different page or name proves nothing, so
 * unpaired employers on both sides may still be the same.
 */
export function pairEmployers(before: ExperienceGroup[], after: ExperienceGroup[]): Pairs | null {
  const left = uniqueById(before)
  const joined = uniqueById(after)
  const stayed = [haveSameId, haveSamePage, haveSameName].flatMap((match) => takePairs(left, joined, match))
  const isUnclear = left.some((before) => joined.some((after) => !areComparable(before, after)))
  return isUnclear ? null : { stayed, left, joined }
}

/** Removes every matching pair from both lists and returns the pairs. */
function takePairs(left: ExperienceGroup[], joined: ExperienceGroup[], match: (...pair: Pair) => boolean): Pair[] {
  return [...left].flatMap((before): Pair[] => {
    const after = joined.find((candidate) => match(before, candidate))
    if (!after) return []
    left.splice(left.indexOf(before), 1)
    joined.splice(joined.indexOf(after), 1)
    return [[before, after]]
  })
}

/** After a return, an employer may have two groups. They become one employer with the positions of both. */
function uniqueById(groups: ExperienceGroup[]): ExperienceGroup[] {
  const found = new Map<unknown, ExperienceGroup>()
  for (const group of groups) {
    const key = group.company_id ?? group
    const known = found.get(key)
    found.set(key, known ? { ...known, positions: [...known.positions, ...group.positions] } : group)
  }
  return [...found.values()]
}

/** Two different platform ids are two companies. A derived id may be the same company as a platform id. */
const hasPlatformId = ({ company_id: id }: ExperienceGroup) => id !== null && !/^vitae-[\da-f]{16}$/.test(id)

/** Whether different ids prove different employers, because both are platform ids or both are derived. */
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

const normalName = (group: ExperienceGroup) =>
  (group.company_name ?? '').slice(0, 300).normalize('NFKC').trim().toLowerCase()
