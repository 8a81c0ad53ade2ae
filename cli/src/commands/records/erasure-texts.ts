/** The message for an interrupted erasure. */
export function lostErasure(failure = 'the connection was lost'): string {
  return `The erasure did not finish: ${failure}. Run it again to continue.`
}

/** Says when the bytes of deleted rows are gone from the files. */
export function goneText({ bytes_gone_by: by, bytes_gone_at: at }: Gone): string {
  if (at !== null) return `Gone from the store and its files: ${at}.`
  return `Gone at once: everything that the database can read. The bytes in its files are gone by ${by}; --now removes them immediately.`
}

interface Gone {
  bytes_gone_by: string | null
  bytes_gone_at: string | null
}

export const nowOption = ['--now', 'PostgreSQL: also rewrite the files immediately, while calls wait', false] as const
