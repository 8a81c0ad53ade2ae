import { once } from 'node:events'
import { accessSync, constants, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { makeFolder } from '../foundation/durable-file.ts'
import type { Config } from './config.ts'

type Values = Pick<Config, 'http' | 'dataDir' | 'backup'> & { upstream: Pick<Config['upstream'], 'directory'> }

/**
 * Lists what the settings name and this machine lacks, one line each that begins with the variable. It leaves nothing
 * behind.
 */
export async function checkMachine({ http, dataDir, backup, upstream }: Values): Promise<string[]> {
  const findings = [
    await missingAddress('HOST', http.host),
    http.adminPort === null ? null : await missingAddress('VITAE_ADMIN_HOST', http.adminHost),
    unwritableFolder('VITAE_DATA_DIR', dataDir),
    backup.dir === null ? null : unwritableFolder('VITAE_BACKUP_DIR', backup.dir),
    upstream.directory === null ? null : missingDirectory(upstream.directory),
  ]
  return findings.filter((finding) => finding !== null)
}

/** On any free port: the configured one may be in use by the running service. */
async function missingAddress(name: string, host: string): Promise<string | null> {
  const server = createServer()
  try {
    const opened = once(server, 'listening')
    server.listen({ host, port: 0, exclusive: true })
    await opened
    return null
  } catch (error) {
    return `${name} is ${JSON.stringify(host)}, but must be an address of this machine: ${reason(error)}`
  } finally {
    server.close()
  }
}

/**
 * Creates the folder, if it is missing, and a file in it, and removes both: no other check covers everything that may
 * forbid it.
 */
function unwritableFolder(name: string, path: string): string | null {
  let made: string | undefined
  try {
    made = makeFolder(path)
    const file = join(path, `.check-${process.pid}`)
    writeFileSync(file, 'x', { flag: 'wx' })
    rmSync(file)
    return null
  } catch (error) {
    return `${name} is ${JSON.stringify(path)}, but must be a folder that can be created and written: ${reason(error)}`
  } finally {
    if (made !== undefined) removeEmpty(path, made)
  }
}

/** Removes only empty folders: a service that starts at this moment keeps what it has written. */
function removeEmpty(path: string, upTo: string): void {
  try {
    rmdirSync(path)
  } catch {
    return
  }
  if (path !== upTo) removeEmpty(dirname(path), upTo)
}

function missingDirectory(path: string): string | null {
  const files = ['people.ndjson', 'companies.ndjson'].map((file) => join(path, file))
  return files.some(isReadable)
    ? null
    : `VITAE_DIRECTORY is ${JSON.stringify(path)}, but must be a folder with people.ndjson or companies.ndjson that can be read`
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
