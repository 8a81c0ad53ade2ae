/** A list or text that was cut. */
export interface Cut {
  path: string
  shown: number
  total: number
}

const itemsAtMost: Record<string, number> = { skills: 15, experience: 5 }
const itemsOtherwise = 3
const charactersAtMost = 400
/** Pictures expire and tell a model nothing. */
const picture = /(?:^|_)(?:photo|logo|image|cover_image)(?:_url)?$/
/** Characters that nobody sees and a model reads: controls, changes of direction, and tags. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/**
 * The record without what is empty, without pictures, and with long lists and texts cut. Fields that the caller named are
 * left whole.
 */
export function shortRecord(
  record: Record<string, unknown>,
  named: ReadonlySet<string>,
): { record: Record<string, unknown>; cut: Cut[] } {
  const cut: Cut[] = []
  const entries = Object.entries(record).flatMap(([field, value]) => {
    const shown = named.has(field)
      ? visible(value)
      : picture.test(field)
        ? undefined
        : shorten(value, field, field, cut)
    return shown === undefined ? [] : [[field, shown] as const]
  })
  return { record: Object.fromEntries(entries), cut }
}

/** Undefined where nothing is left. */
function shorten(value: unknown, name: string, path: string, cut: Cut[]): unknown {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return shortText(value, path, cut)
  if (Array.isArray(value)) return shortList(value, name, path, cut)
  if (typeof value !== 'object') return value
  // A date says the same in its one text.
  const parts = 'iso' in value ? { iso: value.iso } : value
  const entries = Object.entries(parts).flatMap(([key, item]) => {
    const shown = picture.test(key) ? undefined : shorten(item, key, `${path}.${key}`, cut)
    return shown === undefined ? [] : [[key, shown] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function shortText(value: string, path: string, cut: Cut[]): string | undefined {
  const text = value.replace(invisible, '')
  if (text === '') return undefined
  if (text.length <= charactersAtMost) return text
  cut.push({ path, shown: charactersAtMost, total: text.length })
  return `${text.slice(0, charactersAtMost).toWellFormed()}…`
}

function shortList(value: unknown[], name: string, path: string, cut: Cut[]): unknown {
  if (value.length === 0) return undefined
  const most = itemsAtMost[name] ?? itemsOtherwise
  if (value.length > most) cut.push({ path, shown: most, total: value.length })
  const items = value.slice(0, most).map((item, index) => shorten(item, name, `${path}.${index}`, cut) ?? null)
  return items
}

/** The whole value, in characters that can be seen. */
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(invisible, '')
  if (Array.isArray(value)) return value.map(visible)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visible(item)]))
}
