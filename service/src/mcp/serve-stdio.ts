import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { buildServer } from './build-server.ts'
import type { ToolApi } from './tool-api.ts'

/** Serves the tools on this process's standard input and output, until the input ends. */
export function serveTools(api: ToolApi, version: string, onError: (error: unknown) => void): void {
  serveStdio(() => buildServer(api, version, onError), { onerror: onError, maxSubscriptions: 0 })
}
