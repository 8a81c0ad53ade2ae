/** The UTC calendar month of a time, `2026-11`: ceilings and budgets are counted in these. */
export function utcMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}
