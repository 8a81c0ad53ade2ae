import { parseArgs } from 'node:util'
import { startFakeProvider } from './start-fake-provider.ts'
import { wires, type WireName } from './wire/wires.ts'

const { values } = parseArgs({
  options: {
    provider: { type: 'string' },
    port: { type: 'string', default: '0' },
    key: { type: 'string', default: 'secret' },
    'latency-ms': { type: 'string', default: '0' },
    'source-age-days': { type: 'string', default: '0' },
    'polls-until-ready': { type: 'string', default: '0' },
  },
})

if (values.provider === undefined || !(values.provider in wires)) {
  console.error(`--provider must be one of ${Object.keys(wires).join(', ')}`)
  process.exit(2)
}

const fake = await startFakeProvider({
  provider: values.provider as WireName,
  port: Number(values.port),
  key: values.key,
  latencyMs: Number(values['latency-ms']),
  sourceAgeDays: Number(values['source-age-days']),
  pollsUntilReady: Number(values['polls-until-ready']),
  logLimit: 0,
})
console.log(JSON.stringify({ provider: values.provider, url: fake.url }))

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close())
