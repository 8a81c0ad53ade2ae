import type { FastifyInstance } from 'fastify'

/** The routes in Fastify's printed tree, as `GET /path`. Each line continues the path of its parent line. */
export function registeredRoutes(app: FastifyInstance): string[] {
  const addresses: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([ │]*)[├└]── (\S+) \((.+)\)$/.exec(line) ?? []
      const depth = indent.length / 4
      const address = (addresses[depth - 1] ?? '') + part
      addresses[depth] = address
      return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${address}`)
    })
}
