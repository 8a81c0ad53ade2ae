/** The segments of a path. A star matches every item. */
type Pattern = readonly string[]

/** Replaces the values at the paths with `null` and leaves the rest of the tree unchanged. */
export function clearPaths(value: unknown, paths: readonly string[]): void {
  for (const path of paths) clear(value, path.split('.'))
}

function clear(value: unknown, [part = '', ...rest]: Pattern): void {
  if (typeof value !== 'object' || value === null) return
  const keys = part === '*' ? Object.keys(value) : Object.hasOwn(value, part) ? [part] : []
  for (const key of keys) {
    if (rest.length > 0) clear(Reflect.get(value, key), rest)
    else Reflect.set(value, key, null)
  }
}

/**
 * Removes the values that must not be stored from a payload and lists the removed paths. All other bytes stay
 * unchanged.
 */
export function cutPaths(body: Uint8Array, paths: readonly string[]): { body: Uint8Array; removed: string[] } {
  const text = new TextDecoder().decode(body)
  if (!isJson(text)) {
    // A truncated record cannot be cut by paths, so drop it. A message that never was a record needs no cut.
    const isHalf = /^\s*["[{]/.test(text)
    return isHalf ? { body: new Uint8Array(), removed: [...paths] } : { body, removed: [] }
  }
  const spans: { start: number; end: number; path: string }[] = []
  for (const path of paths)
    scan(text, skipSpace(text, 0), path.split('.'), (start, end) => spans.push({ start, end, path }))
  const found = spans.filter(({ start, end }) => text.slice(start, end) !== 'null')
  if (found.length === 0) return { body, removed: [] }
  let kept = ''
  let at = 0
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue
    kept += `${text.slice(at, start)}null`
    at = end
  }
  return { body: new TextEncoder().encode(kept + text.slice(at)), removed: [...new Set(found.map(({ path }) => path))] }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reports the spans of the values at a path and returns the end of the value. It descends no deeper than the path. */
function scan(text: string, start: number, pattern: Pattern, note: (start: number, end: number) => void): number {
  const [part, ...rest] = pattern
  if (part === undefined) {
    const end = skipValue(text, start)
    note(start, end)
    return end
  }
  const open = text[start]
  if (open !== '{' && open !== '[') return skipValue(text, start)
  let at = skipSpace(text, start + 1)
  for (let index = 0; text[at] !== '}' && text[at] !== ']'; index++) {
    let key = String(index)
    if (open === '{') {
      const end = skipValue(text, at)
      key = JSON.parse(text.slice(at, end)) as string
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    at = part === '*' || part === key ? scan(text, at, rest, note) : skipValue(text, at)
    at = skipSpace(text, at)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return at + 1
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\n' || text[next] === '\r' || text[next] === '\t') next++
  return next
}

/** The end of the value that starts here. The text must be valid JSON. */
function skipValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; ;) {
    const character = text[at]
    if (character === '"') at = skipString(text, at)
    else if (character === '{' || character === '[') {
      depth++
      at++
    } else if (character === '}' || character === ']') {
      depth--
      at++
    } else if (depth === 0) return skipWord(text, at)
    else at++
    if (depth === 0) return at
  }
}

function skipString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skipWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !',}] \n\r\t'.includes(text[at] ?? '')) at++
  return at
}
