/** In how many answers each unit has a value. */
export interface Fills {
  answers: number
  filled: Record<string, number>
}

/** A unit whose rate fell, 0 to 1. */
export interface Drift {
  unit: string
  usual: number
  now: number
}

/** The usual rate of a unit is its rate in this number of days before. */
export const usualDays = 14
const leastDays = 3
const leastUsual = 100
const leastAnswers = 50
/** With fewer expected values, half of them may be missing by chance: at 30, in one day of a thousand. */
const leastExpected = 30

/** The units that fell below half of their usual rate; null if there are too few answers, or too few days before. */
export function driftedUnits(today: Fills, before: readonly Fills[]): Drift[] | null {
  const answers = before.reduce((sum, day) => sum + day.answers, 0)
  if (today.answers < leastAnswers || before.length < leastDays || answers < leastUsual) return null
  const names = new Set(before.flatMap(({ filled }) => Object.keys(filled)))
  return [...names].flatMap((unit) => {
    const usual = before.reduce((sum, { filled }) => sum + (filled[unit] ?? 0), 0) / answers
    const now = (today.filled[unit] ?? 0) / today.answers
    if (usual * today.answers < leastExpected || now >= usual / 2) return []
    return { unit, usual: rounded(usual), now: rounded(now) }
  })
}

/** One line on what a provider lacks, for operators. */
export function driftText(drifted: readonly Drift[]): string {
  return drifted.map(({ unit, usual, now }) => `${unit} ${percent(now)} (usually ${percent(usual)})`).join(', ')
}

/** The advice for operators. */
export const driftAdvice = 'Read one of its newest raw answers: if their shape has changed, its mapping has to follow.'

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`
}

function rounded(rate: number): number {
  return Math.round(rate * 10_000) / 10_000
}
