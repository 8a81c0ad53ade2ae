/** A command that cannot do what it was asked, said in one line. `exitCode` 1 = failed, 2 = wrong use. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string | null
  readonly exitCode: 1 | 2

  constructor(message: string, more: { code?: string | null; exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.code = more.code ?? null
    this.exitCode = more.exitCode ?? 1
  }
}
