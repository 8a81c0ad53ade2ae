import { expect, test } from 'vitest'
import { isLoopbackName, networkSet, parseNetwork } from '../../src/foundation/networks.ts'

test('a network is an address, or one with a prefix length', () => {
  expect(parseNetwork('10.0.0.1')).toEqual({ address: '10.0.0.1', prefix: 32, family: 'ipv4' })
  expect(parseNetwork('10.0.0.0/8')).toEqual({ address: '10.0.0.0', prefix: 8, family: 'ipv4' })
  expect(parseNetwork('10.0.0.0/32')?.prefix).toBe(32)
  expect(parseNetwork('2001:db8::')).toEqual({ address: '2001:db8::', prefix: 128, family: 'ipv6' })
  expect(parseNetwork('2001:db8::/128')?.prefix).toBe(128)
  const none = [
    '',
    'example.com',
    '10.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/x8',
    '10.0.0.0/8x',
    '10.0.0.0/-1',
    '10.0.0.0/0008',
    '2001:db8::/129',
  ]
  expect(none.filter((text) => parseNetwork(text) !== null)).toEqual([])
})

test('an address is in a set by any of its networks, in either of its forms', () => {
  const set = networkSet(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
  const inside = ['10.0.0.1', '10.255.255.255', '192.0.2.7', '::ffff:10.0.0.1', '2001:db8::1']
  const outside = [
    '11.0.0.1',
    '192.0.2.8',
    '::ffff:11.0.0.1',
    '::ffff:2001',
    '2001:db9::1',
    'example.com',
    '10.0.0',
    '',
    '::ffff:x',
  ]
  expect(inside.filter((address) => !set.includes(address))).toEqual([])
  expect(outside.filter((address) => set.includes(address))).toEqual([])
  expect(networkSet(['::ffff:a00:0/104']).includes('::ffff:a00:1')).toBe(true)
  expect(() => networkSet(['10.0.0.1', 'nowhere'])).toThrow('nowhere is not an address or a network')
})

test('a name of this machine is one that no name server can redirect', () => {
  const own = ['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.255.0.12:80', '[::1]', '[::1]:8080']
  const others = [
    'localhost.example',
    'xlocalhost',
    '127.0.0',
    '127.0.0.1.example',
    '128.0.0.1',
    '[::2]',
    '::1',
    'localhost:',
    'localhost:x',
    '127.a.0.1',
  ]
  expect(own.filter((host) => !isLoopbackName(host))).toEqual([])
  expect(others.filter(isLoopbackName)).toEqual([])
})
