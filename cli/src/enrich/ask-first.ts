import { CommandError } from '../command-error.ts'
import { confirm } from '../terminal/confirm.ts'
import { describeEstimate, type Estimate } from './estimate.ts'
import type { JobFile } from './job-file.ts'

interface Deps {
  file: JobFile
  yes: boolean
  maxCredits: number | null
  signal: AbortSignal
  estimate(): Promise<Estimate>
}

/** Error codes of an older service without the preview route. */
const unknownRoute: ReadonlySet<string | null> = new Set(['route_not_found', 'method_not_allowed', 'not_found'])

/**
 * Prints the price of a new job and asks for confirmation. A job with rows was confirmed before. A refusal removes the
 * job's files.
 */
export async function askFirst({ file, yes, maxCredits, signal, estimate }: Deps): Promise<void> {
  if (file.mark.rows > 0 || file.mark.batch !== undefined) return
  try {
    const plan = describeEstimate(await estimate(), maxCredits)
    process.stderr.write(`${plan}\n`)
    await confirm({ yes, signal }, 'Go on?')
  } catch (error) {
    if (error instanceof CommandError && unknownRoute.has(error.code)) return
    file.discard()
    throw error
  }
}
