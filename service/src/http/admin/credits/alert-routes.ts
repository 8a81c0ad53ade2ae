import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { orNull } from '../schemas.ts'

const environmentName = { project: Type.String(), environment: Type.String() }
const Alerts = Type.Object({
  credits_below: Type.Integer({ description: '`credits.low` is sent when the balance falls below it.' }),
  ceiling_percent: Type.Integer({ description: '`ceiling.near` is sent when so much of a ceiling is spent.' }),
})
const Change = Type.Object({
  ...environmentName,
  credits_below: Type.Optional(
    orNull(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'null = 1, when nothing is left.' }),
    ),
  ),
  ceiling_percent: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 100, description: 'null = 80.' }))),
})

/** When an environment is notified of its spending. */
export function alertRoutes(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    route: 'GET /alerts',
    operationId: 'showAlerts',
    tag: 'credits',
    summary: 'When an environment is notified of its spending',
    role: 'viewer',
    query: Type.Object(environmentName),
    response: Alerts,
    project: ({ query }) => query.project,
    handle: ({ query }) => store.readAlerts(query),
  })
  adminRoute(app, {
    route: 'POST /alerts',
    operationId: 'setAlerts',
    tag: 'credits',
    summary: 'Set when an environment is notified of its spending',
    description:
      'What is left out stays as it is. What is set is notified again from then on, also where it was notified before.',
    role: 'operator',
    body: Change,
    response: Alerts,
    project: ({ body }) => body.project,
    handle: ({ admin, body }) => {
      const { project, environment, credits_below: below, ceiling_percent: percent } = body
      const creditsBelow = below === undefined ? {} : { creditsBelow: below }
      const ceilingPercent = percent === undefined ? {} : { ceilingPercent: percent }
      const by = { actor: admin.actor, at: clock.now() }
      return store.setAlerts({ project, environment, ...creditsBelow, ...ceilingPercent, ...by })
    },
  })
}
