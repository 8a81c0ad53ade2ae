import { BlockList, isIP } from 'node:net'

/** A set of addresses, given as single addresses or CIDR networks. */
export interface Networks {
  includes(address: string): boolean
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; null for anything else. */
export function parseNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', prefixText, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return null
  const widest = version === 4 ? 32 : 128
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return null
  const prefix = prefixText === undefined ? widest : Number(prefixText)
  return prefix > widest ? null : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** The networks as one set. Node treats an IPv4 address in its IPv6 form (`::ffff:10.0.0.1`) as the same address. */
export function networkSet(networks: readonly string[]): Networks {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (!network) throw new Error(`${text} is not an address or a network`)
    list.addSubnet(network.address, network.prefix, network.family)
  }
  return {
    includes: (address) => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
  }
}

/** Whether a host, with or without a port, names this machine in a way that no foreign name server can redirect. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host)
}
