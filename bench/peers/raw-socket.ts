/**
 * A TCP socket that answers everything it reads with prepared bytes, to measure what the kernel, libuv and Node's
 * sockets cost without HTTP. It must read one request at a time. `PORT=0 node bench/peers/raw-socket.ts SAMPLE`.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { SampleAnswer } from '../src/contestants/sample-answer.ts'

const sample = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SampleAnswer
const lines = ['HTTP/1.1 200 OK', `Date: ${new Date().toUTCString()}`, 'Connection: keep-alive']
for (let at = 0; at < sample.headers.length; at += 2) lines.push(`${sample.headers[at]}: ${sample.headers[at + 1]}`)
const answer = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${sample.body}`)

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', () => socket.write(answer))
  socket.on('error', () => socket.destroy())
})
server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4_096 })
process.once('SIGTERM', () => process.exit())
