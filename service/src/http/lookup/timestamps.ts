let lastAt = Number.NaN
let lastText = ''

/** A time with its offset written out: `2026-11-14T09:30:00.000+00:00`. The last one is kept, because calls come in crowds. */
export function timeWithOffset(at: number): string {
  if (at === lastAt) return lastText
  lastAt = at
  lastText = `${new Date(at).toISOString().slice(0, -1)}+00:00`
  return lastText
}
