import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { createApiKey, displayApiKey, hashApiKey } from '../../../accounts/api-key.ts'
import { parseDuration } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { noSettings } from '../../../accounts/key.ts'
import { KeySettingsBody, readKeySettings } from './key-settings.ts'
import { nextCursor, pageQuery, placeCursor, placeText } from '../pagination.ts'
import { Cursor, given, Count, orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'
import { kinds, personParts, type PersonPart } from '@vitae/contract'

const KeyId = Type.Object({ id: Type.String() })
const tag = 'keys'

/** Keys: made, shown, changed, rotated and revoked. Every change is in force before its answer leaves. */
export function keyRoutes(app: FastifyInstance, deps: AppDeps): void {
  listKeysRoute(app, deps)
  createKeyRoute(app, deps)
  showKeyRoute(app, deps)
  updateKeyRoute(app, deps)
  rotateKeyRoute(app, deps)
  revokeKeyRoute(app, deps)
}

const listKeysRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /keys',
  operationId: 'listKeys',
  summary: 'List keys',
  role: 'viewer',
  filtered: true,
  query: Type.Object({
    project: Type.Optional(Type.String()),
    environment: Type.Optional(Type.String()),
    text: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of a label, an id or the shown characters.' }),
    ),
    state: Type.Optional(Type.Enum(['active', 'ended'], { description: 'Ended keys are revoked or expired.' })),
    mode: Type.Optional(Type.Enum(['live', 'test'])),
    order: Type.Optional(Type.Enum(['newest', 'oldest', 'last_used'], { description: 'By id where it is left out.' })),
    ...pageQuery,
  }),
  response: Type.Object({ keys: Type.Array(Key), next_cursor: Cursor }),
  async handle({ admin, query }) {
    const { environment = null, limit = 100, text, state, mode, order, cursor } = query
    const project = admin.project ?? query.project ?? null
    const after = order ? placeCursor(cursor) : cursor === undefined ? null : ([0, cursor] as [number, string])
    const wanted = { project, environment, limit, after, at: clock.now() }
    const keys = await store.listKeys({ ...wanted, ...given({ text, state, mode, order }) })
    const sorted = (key: (typeof keys)[number]) => (order === 'last_used' ? key.last_used_at : key.created_at)
    return { keys, next_cursor: nextCursor(keys, limit, (key) => (order ? placeText(sorted(key), key.id) : key.id)) }
  },
}))

const createKeyRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /keys',
  operationId: 'createKey',
  summary: 'Make a key; the answer is the only place where it is ever shown',
  role: 'operator',
  status: 201,
  body: Type.Object({
    project: Type.String(),
    environment: Type.String(),
    mode: Type.Enum(['live', 'test']),
    ...KeySettingsBody,
  }),
  response: NewKey,
  project: ({ body }) => body.project,
  async handle({ admin, body }) {
    const { mode } = body
    const key = createApiKey(mode)
    const { project, environment } = body
    const settings = { ...noSettings, ...readKeySettings(body) }
    const view = await store.createKey({
      project,
      environment,
      mode,
      hash: hashApiKey(key),
      display: displayApiKey(key),
      settings,
      actor: admin.actor,
      at: clock.now(),
    })
    return { ...view, key }
  },
}))

const showKeyRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /keys/:id',
  operationId: 'showKey',
  summary: 'Show a key',
  role: 'viewer',
  params: KeyId,
  response: Key,
  project: projectOfKey(deps),
  handle: async ({ params }) => deps.store.showKey({ id: params.id, at: deps.clock.now() }),
}))

const updateKeyRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'PATCH /keys/:id',
  operationId: 'updateKey',
  summary: 'Change the settings of a key',
  role: 'operator',
  params: KeyId,
  body: Type.Object(KeySettingsBody),
  response: Key,
  project: projectOfKey(deps),
  async handle({ admin, params: { id }, body }) {
    const at = deps.clock.now()
    if (typeof body.daily_ceiling === 'number') await deps.store.countDays({ keyId: id, at })
    const view = await deps.store.updateKey({ id, settings: readKeySettings(body), actor: admin.actor, at })
    await deps.keysChanged()
    return view
  },
}))

const rotateKeyRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /keys/:id/rotate',
  operationId: 'rotateKey',
  summary: 'Make a successor and let the old key live for an overlap',
  role: 'operator',
  status: 201,
  params: KeyId,
  body: Type.Object({
    overlap: Type.String({ description: 'How long the old key goes on, such as 1h; 0s ends it now.' }),
  }),
  response: NewKey,
  project: projectOfKey(deps),
  async handle({ admin, params, body }) {
    const overlapMs = parseDuration(body.overlap)
    if (overlapMs === null) {
      throw invalidParameter('overlap', 'must be a duration such as 1h, 30m or 0s')
    }
    const old = await deps.store.showKey({ id: params.id, at: deps.clock.now() })
    const key = createApiKey(old.mode)
    const view = await deps.store.rotateKey({
      id: params.id,
      hash: hashApiKey(key),
      display: displayApiKey(key),
      overlapMs,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.keysChanged()
    return { ...view, key }
  },
}))

const revokeKeyRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /keys/:id/revoke',
  operationId: 'revokeKey',
  summary: 'Revoke a key at once',
  role: 'operator',
  params: KeyId,
  body: Type.Object({ reason: Type.Optional(Type.String()) }),
  response: Key,
  project: projectOfKey(deps),
  async handle({ admin, params, body }) {
    const view = await deps.store.revokeKey({
      id: params.id,
      reason: body.reason ?? null,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.keysChanged()
    return view
  },
}))

function projectOfKey({ store, clock }: AppDeps) {
  return async ({ params }: { params: { id: string } }) =>
    (await store.showKey({ id: params.id, at: clock.now() })).project
}

const parts = Object.keys(personParts) as PersonPart[]

const key = {
  id: Type.String(),
  display: Type.String({ description: 'First and last characters of the key.' }),
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  label: orNull(Type.String()),
  ceiling: orNull(Type.Integer({ description: 'Credits per UTC calendar month.' })),
  daily_ceiling: orNull(Type.Integer({ description: 'Credits per UTC day.' })),
  rate: orNull(Type.String({ description: 'Calls per window; null = the default of the service.' })),
  endpoints: orNull(Type.Array(Type.Enum([...kinds]), { description: 'Null: all; an empty list: none.' })),
  parts: orNull(Type.Array(Type.Enum(parts), { description: 'Null: all; an empty list: none.' })),
  networks: orNull(Type.Array(Type.String(), { description: 'Null: all; an empty list: none.' })),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull({ ...Time, description: 'When it was revoked, or when the overlap of its rotation ends.' }),
  revoked: Type.Boolean({ description: 'True: it opens nothing any more, whatever a clock says.' }),
  rotated_from: orNull(Type.String()),
  rotated_to: Type.Optional(
    orNull(Type.String({ description: 'The key that has taken its place; only where one key is shown.' })),
  ),
  spent_this_month: Count,
  spent_today: Count,
}

/** A key as operators see it. */
const Key = Type.Object(key)

/** A key at the one moment when it is shown. */
const NewKey = Type.Object({ ...key, key: Type.String({ description: 'The key itself. Keep it now.' }) })
