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

/** What a service before this route answers. */
const unknownRoute: ReadonlySet<string | null> = new Set(['route_not_found', 'method_not_allowed', 'not_found'])

/**
 * Says what a job costs before anything is paid, and asks, once: a job that has rows was agreed to. A no leaves everything as it
 * was before.
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
