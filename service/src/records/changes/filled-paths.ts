/** The fields that were empty in one record and are not in another, for the report of a reprojection. Elements of lists count as one. */
export function filledPaths(before: unknown, after: unknown, path = ''): string[] {
  if (isEmpty(before)) return isEmpty(after) ? [] : [path]
  if (!isObject(before) || !isObject(after)) return []
  const paths = Object.entries(after).flatMap(([key, value]) =>
    filledPaths(before[key], value, path === '' ? key : `${path}.${key}`),
  )
  return [...new Set(paths)]
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.values(value).every(isEmpty)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
