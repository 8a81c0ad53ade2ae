import type { Command } from 'commander'
import { openAdmin, type AdminClient } from './admin-client.ts'
import type { EnvFile } from '../env-file.ts'

/** The options that every command accepts. */
export interface GlobalOptions {
  json: boolean
  yes: boolean
  url?: string
  /** The environment file that was loaded before the command, or null. */
  loaded: EnvFile | null
}

export interface Context<Options> {
  admin: AdminClient
  options: Options & GlobalOptions
  json: boolean
}

/**
 * Wraps the action of a command: opens the admin API, runs the action, and always closes it. With `ownUrl`, `--url` has
 * another meaning, so only VITAE_URL names a remote service.
 */
export function withAdmin<Options extends object, Args extends unknown[]>(
  run: (context: Context<Options>, ...args: Args) => Promise<void>,
  { ownUrl = false } = {},
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    // Commander passes the arguments, the options and the command, in this order.
    const command = received.at(-1) as Command
    const args = received.slice(0, -2) as Args
    const options = command.optsWithGlobals<Options & GlobalOptions>()
    const admin = await openAdmin({ url: ownUrl ? undefined : options.url })
    try {
      await run({ admin, options, json: options.json }, ...args)
    } finally {
      await admin.close()
    }
  }
}
