import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError } from './command-error.ts'

/** An environment file, and the variables taken from it. */
export interface EnvFile {
  path: string
  names: string[]
}

/**
 * Adds the variables of `.env`, or of the given file, to the environment. Existing variables win. NAME and NAME_FILE
 * are one setting, so either form overrides both in the file.
 */
export function loadEnvFile(given: string | undefined): EnvFile | null {
  const path = resolve(given ?? '.env')
  if (given === undefined && !existsSync(path)) return null
  const variables = Object.entries(parseEnv(readText(path)))
  const isSet = (name: string) => process.env[name] !== undefined
  const taken = variables.filter(([name]) => {
    const otherForm = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`
    return !isSet(name) && !isSet(otherForm)
  })
  for (const [name, value] of taken) process.env[name] = value
  return { path, names: taken.map(([name]) => name) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${path} cannot be read: ${reason}`, { exitCode: 2, cause: error })
  }
}
