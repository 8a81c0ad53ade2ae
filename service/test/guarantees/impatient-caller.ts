import { Agent, get } from 'node:http'

export interface Answer {
  status: number
  charged: string | undefined
  replayed: boolean
  body: string
}

/** Connections of callers that may be cut in the middle of a call. */
export const connections = new Agent({ keepAlive: true, maxSockets: 256 })

/** Asks once; null when the connection broke, as it does when `cut` is aborted. */
export function askOnce(url: string, headers: Record<string, string>, cut: AbortSignal): Promise<Answer | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent: connections, headers, signal: cut }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(null))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          charged: response.headers['x-credits-charged']?.toString(),
          replayed: response.headers['idempotent-replayed'] === 'true',
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.on('error', () => resolve(null))
  })
}
