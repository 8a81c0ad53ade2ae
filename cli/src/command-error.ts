import { statSync } from 'node:fs'

/** A failed command, with a one-line message. `exitCode` 1 = failed, 2 = wrong use. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string | null
  readonly exitCode: 1 | 2
  /** The service's message for each wrong parameter. */
  readonly errors: readonly { parameter: string; detail: string }[]

  constructor(
    message: string,
    more: { code?: string | null; exitCode?: 1 | 2; errors?: CommandError['errors']; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = more.code ?? null
    this.exitCode = more.exitCode ?? 1
    this.errors = more.errors ?? []
  }
}

/** The next step after a refused API key. */
export const checkKey = 'Check --key or VITAE_API_KEY.'

/** The failure of a command that reaches no service. */
export function noVitae(url: string, cause: unknown): CommandError {
  const next = 'Start it with "vitae serve", or check --url and VITAE_URL.'
  return new CommandError(`No Vitae answers at ${url}. ${next}`, { cause })
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of its path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
}

/** The message for a file that could not be opened, read or written; null for other errors. */
export function fileTrouble(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  if (error.code === 'ERR_SQLITE_ERROR') return `The store cannot be used: ${error.message}.`
  const reason = reasons[error.code]
  if (reason === undefined) return null
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'A file'
  const advice = reason === 'permission denied' ? ' Run the command as the user who owns the file.' : ''
  return `${path} cannot be opened: ${reason}.${advice}`
}

/** Warns if root owns the folder: the service's user cannot open files in it. */
export function warnOfRoot(folder: string): void {
  if (process.getuid?.() !== 0 || statSync(folder).uid !== 0) return
  process.stderr.write(
    `vitae: the files in ${folder} belong to root. A service that runs as another user needs them: chown -R USER: ${folder}\n`,
  )
}
