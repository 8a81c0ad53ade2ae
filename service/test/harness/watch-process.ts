import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Loaded into a service with `--import`: logs every outgoing connection and every name lookup. At exit it logs whether
 * anything was added to Object.prototype.
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
