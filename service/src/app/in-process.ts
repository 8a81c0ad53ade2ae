import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { watchStrays } from '@vitae/provider'
import { loadProviderModules } from '../config/load-provider-modules.ts'
import { readConfig, type Config } from '../config/config.ts'
import { missingOfDatabase, missingOfFile } from '../database/missing-migrations.ts'
import { StartError, storeName } from '../foundation/data-folder.ts'
import { createLog } from '../foundation/log.ts'
import { pendingMark } from '../lifecycle/suppression/open-suppressions.ts'
import { buildApp } from '../http/app.ts'
import { buildService } from './build-service.ts'

/** One answered request. */
export interface Injected {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: Buffer
}

/** A service without listeners: the command line calls the same routes as everybody else, inside its own process. */
export interface InProcess {
  ownerToken: string
  request(request: {
    method: string
    path: string
    headers: Record<string, string>
    body?: string | Buffer
    /** Called with each piece of the body as it arrives. */
    onChunk?: (chunk: Buffer) => void
  }): Promise<Injected>
  close(): Promise<void>
}

/**
 * Opens the store of the configured data folder, if no service runs on it. Without `create`, a folder or database
 * without a store, or with an older schema, is refused and not changed: its path or address may be mistyped.
 */
export async function openInProcess({ create = true } = {}): Promise<InProcess> {
  // Standard output belongs to the command's own answer.
  const log = createLog('error', false, 2)
  const endWatch = watchStrays({
    onStray: (provider, what) =>
      log.error({ provider, cause: what }, 'the code of a provider left an unhandled failure'),
    onOther: (error) => {
      throw error
    },
  })
  await loadProviderModules()
  const config = readConfig()
  if (!create) {
    refuseWithoutStore(config)
    await refuseOtherSchema(config)
  }
  const onFatal = (error: Error) => {
    throw error
  }
  const service = await buildService({ config, log, onFatal })
  const app = await buildApp(service)
  return {
    ownerToken: service.admin.ownerToken,
    async request({ method, path, headers, body, onChunk }) {
      const answer = await app.inject({
        // The command line sends only these methods.
        method: method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
        payloadAsStream: true,
      })
      const chunks: Buffer[] = []
      for await (const chunk of answer.stream() as AsyncIterable<Buffer>) {
        onChunk?.(chunk)
        chunks.push(chunk)
      }
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }
    },
    async close() {
      await app.close()
      await service.close()
      endWatch()
    },
  }
}

/** With a database elsewhere, the folder only has to exist, and not even that if the secret key is a setting. */
function refuseWithoutStore({ dataDir, databaseUrl, secretKey }: Config): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : null
  const isThere =
    databaseUrl === null
      ? names?.some((name) => name.startsWith(storeName) || name === pendingMark)
      : names !== null || secretKey !== null
  if (isThere) return
  throw new StartError(
    `VITAE_DATA_DIR ${dataDir} contains no Vitae store. Check the path; "vitae serve" creates a new store there.`,
  )
}

/** A store that cannot be read here is reported when it is opened. */
async function refuseOtherSchema({ dataDir, databaseUrl }: Config): Promise<void> {
  const file = join(dataDir, storeName)
  if (databaseUrl === null && !existsSync(file)) return
  const missing = await (databaseUrl === null ? missingOfFile(file) : missingOfDatabase(databaseUrl)).catch(() => [])
  if (missing === null)
    throw new StartError(
      'DATABASE_URL names a database without a Vitae store. Check its name; "vitae serve" creates a new store there.',
    )
  if (missing.length > 0)
    throw new StartError(
      `The store needs a migration to schema ${missing.at(-1)}. "vitae serve" migrates it when it starts. Make a backup first.`,
    )
}
