import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Loaded into a service with `--import`: writes down every outward connection that it attempts, every name that it
 * looks up, and at its end whether anything has been added to the prototype of all objects.
 */
const file = process.env['VITAE_TEST_WATCH'] ?? ''
const note = (line: string) => appendFileSync(file, `${line}\n`)

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket }
  socket.on('lookup', (_error, _address, _family, host) => note(`lookup ${host}`))
  socket.on('connectionAttempt', (ip: string, port: number) => note(`connect ${ip}:${port}`))
})

const bare = new Set(Reflect.ownKeys(Object.prototype))
process.on('exit', () => {
  const added = Reflect.ownKeys(Object.prototype).filter((name) => !bare.has(name))
  note(`polluted ${JSON.stringify(added.map(String))}`)
})
