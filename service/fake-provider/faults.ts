import type { ServerResponse } from 'node:http'

const statuses = [500, 429, 401, 402, 403, 404] as const
const breakages = ['refused', 'reset', 'empty', 'truncated', 'garbage', 'slow', 'hang', 'malformed', 'huge'] as const

/** A status is sent in the provider's own error format; a breakage has no format. */
export type FaultStatus = (typeof statuses)[number]
export type Breakage = (typeof breakages)[number]

/** All faults that can be requested. */
export type Fault = FaultStatus | Breakage

/** Parses a fault from an HTTP request; null means no fault. */
export function parseFault(value: unknown): Fault | null {
  return [...statuses, ...breakages].find((fault) => fault === value) ?? null
}

export interface FaultOptions {
  slowMs: number
  hugeBytes: number
}

const json = { 'content-type': 'application/json' }

/** Streams a valid JSON text of about the given size, as fast as the reader takes it. */
function sendHuge(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let left = bytes
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) return
    }
    response.off('drain', more)
    response.end('"}')
  }
  response.writeHead(200, json).write('{"filler":"')
  response.on('drain', more)
  more()
}

function sendPart(response: ServerResponse): void {
  response.writeHead(200, { ...json, 'content-length': '5000' })
  response.write('{"name":"cut o', () => response.destroy())
}

/** Waits, unless the caller has left. */
function pause(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const bodies = {
  empty: '',
  malformed: '{"name": "Ottoline", "experience": [{]',
  garbage: Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x7b, 0x80, 0x81, 0x1f, 0x8b]),
}

/** Plays a breakage. Returns whether that was all: after `slow` the real answer still follows. */
export async function playBreakage(fault: Breakage, response: ServerResponse, options: FaultOptions): Promise<boolean> {
  switch (fault) {
    case 'slow':
      await pause(response, options.slowMs)
      return false
    case 'hang':
      break
    case 'refused':
    case 'reset':
      response.socket?.resetAndDestroy()
      break
    case 'truncated':
      sendPart(response)
      break
    case 'huge':
      sendHuge(response, options.hugeBytes)
      break
    case 'empty':
    case 'malformed':
    case 'garbage':
      response.writeHead(200, json).end(bodies[fault])
      break
  }
  return true
}
