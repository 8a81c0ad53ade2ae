import { Agent, get } from 'node:http'

export interface Answer {
  status: number
  charged: string | undefined
  replayed: boolean
  body: string
}

/** Connections of callers that can be cut during a call. */
export const connections = new Agent({ keepAlive: true, maxSockets: 256 })

/** Asks once; null if the connection broke, as on an abort of `cut`. */
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
