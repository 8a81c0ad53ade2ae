import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkSet } from '../../../foundation/networks.ts'

/** The allowed targets of deliveries: every public address, and the networks that the operator allows. */
export interface TargetRules {
  /** Whether a connection to this address is allowed; `http:` only into an allowed network. */
  allows(address: string, protocol: string): boolean
}

/** All address blocks outside the public internet (IANA's special-purpose registries), and Azure's metadata host. */
const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/**
 * Blocks inside 2000::/3, the only block in public use. Tunnels are included, because they can hide an IPv4 address.
 */
const refusedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']
const publicV6 = '2000::/3'

const v4 = blockList(refusedV4, 'ipv4')
const v6 = blockList(refusedV6, 'ipv6')
const globalV6 = blockList([publicV6], 'ipv6')

/** Whether an address is on the public internet. Anything but a plain address (a zone, a name) is not. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  if (isIPv4(address)) return !v4.check(address, 'ipv4')
  return isIPv6(address) && globalV6.check(address, 'ipv6') && !v6.check(address, 'ipv6')
}

/** The rules with the networks of VITAE_WEBHOOK_NETWORKS. */
export function targetRules(networks: readonly string[]): TargetRules {
  const named = networkSet(networks)
  return {
    allows: (address, protocol) => named.includes(address) || (protocol === 'https:' && isPublicAddress(address)),
  }
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}
