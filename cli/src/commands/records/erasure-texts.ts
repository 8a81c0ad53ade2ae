/** The message for an interrupted erasure. */
export function lostErasure(failure = 'the connection was lost'): string {
  return `The erasure did not end: ${failure}. Run it again: it goes on.`
}

/** The message about tables that could not be rewritten yet. */
export function leftText(tables: readonly string[]): string {
  return `Still to come: ${tables.join(', ')} hold deleted rows until the long transaction that reads the database ends; the service then rewrites them by itself.`
}
