import { readConfig } from './config.ts'
import { createLog } from './foundation/log.ts'
import { buildApp } from './http/app.ts'
import { openHouse } from './house.ts'

/** One answered request. */
export interface Injected {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: Buffer
}

/** A house without open doors: the command line calls the same routes as everybody else, inside its own process. */
export interface InProcess {
  ownerToken: string
  request(request: {
    method: string
    path: string
    headers: Record<string, string>
    body?: string | Buffer
  }): Promise<Injected>
  close(): Promise<void>
}

/** Opens the store of the configured data folder, where no service runs on it. */
export async function openInProcess(): Promise<InProcess> {
  const config = readConfig()
  // Standard output belongs to the command's own answer.
  const log = createLog('error', false, 2)
  const onFatal = (error: Error) => {
    throw error
  }
  const house = await openHouse({ config, log, onFatal })
  const app = await buildApp(house)
  return {
    ownerToken: house.admin.ownerToken,
    async request({ method, path, headers, body }) {
      const answer = await app.inject({
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the command line sends only these methods
        method: method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      })
      return { status: answer.statusCode, headers: answer.headers, body: answer.rawPayload }
    },
    async close() {
      await app.close()
      await house.close()
    },
  }
}
