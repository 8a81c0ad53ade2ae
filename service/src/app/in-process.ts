import { loadProviderModules } from '../config/load-provider-modules.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../foundation/log.ts'
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

/** Opens the store of the configured data folder, where no service runs on it. */
export async function openInProcess(): Promise<InProcess> {
  await loadProviderModules()
  const config = readConfig()
  // Standard output belongs to the command's own answer.
  const log = createLog('error', false, 2)
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
    },
  }
}
