import { readConfig } from '../../../src/config/config.ts'
import { loadProviderModules } from '../../../src/config/load-provider-modules.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { demoText, ensureDemo } from '../../../src/app/demo.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { buildService } from '../../../src/app/build-service.ts'
import { listen } from '../../../src/app/listen.ts'

/**
 * The service without durability: payments are answered but not written. It shows that the crash test detects lost
 * charges.
 */
await loadProviderModules()
const config = readConfig()
const onFatal = (error: Error) => {
  throw error
}
const service = await buildService({ config, log: createLog('silent', false), onFatal })
const settle = service.lookup.settle.bind(service.lookup)

service.lookup.settle = async (request: SettleRequest) => {
  if (request.type !== 'charge' && request.type !== 'capture') return settle(request)
  return { outcome: 'settled', charged: request.price, available: 0, ceilingRemaining: null, ceilingResetsAt: null }
}

const keys = await ensureDemo(service.folder, service.store, service.clock)
const listeners = await listen(service, config)
process.stdout.write(demoText(keys, listeners.url, config.upstream))
