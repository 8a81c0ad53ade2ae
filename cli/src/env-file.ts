import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError } from './command-error.ts'

/** A file of variables that was read, and the names that were taken from it. */
export interface EnvFile {
  path: string
  names: string[]
}

/**
 * Adds the variables of `.env` in the working directory, or of the given file, to the environment. What is set already
 * wins, and so does NAME_FILE over a NAME in the file and the other way round: both forms are one setting.
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
