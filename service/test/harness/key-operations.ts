import { callerOperations, lookupOperations } from '@vitae/contract'

const operations = { ...lookupOperations, ...callerOperations }

/** Every operation that needs an API key, plus the agent tools, which are not operations. */
export type KeyOperation = keyof typeof operations | 'mcp'

/** The routes of these operations, as `GET /path/:id`. */
export const keyRoutes = Object.fromEntries([
  ...Object.entries(operations).map(([id, { route }]) => [id, route]),
  ['mcp', 'POST /mcp'],
]) as Record<KeyOperation, string>
