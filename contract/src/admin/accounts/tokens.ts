import Type from 'typebox'
import { type AdminOperationRows, roles } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

const token = {
  id: Type.String(),
  label: orNull(Type.String()),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
}
const Token = Type.Object(token)
const Session = Type.Object({
  id: Type.String(),
  actor: Type.String({ description: 'As the audit log names them: `person:...`, `token:...` or `owner`.' }),
  actor_name: orNull(Type.String({ description: 'The label of the token; null if it has no label.' })),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  method: Type.Enum(['token', 'single_sign_on']),
  address: orNull(Type.String({ description: 'Where the sign-in came from.' })),
  user_agent: orNull(Type.String()),
  created_at: Time,
  last_used_at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC; exact to a minute.' }),
  expires_at: Time,
  current: Type.Boolean({ description: 'Whether it is the session that asks.' }),
})
const Ended = Type.Object({ ended: Type.Array(Type.String(), { description: 'The ids of the sessions that ended.' }) })
const reason = Type.Optional(Type.String())

/** Admin tokens: stored as hashes, with one role, for one project or all. Only owners manage them. */
export const tokenOperations = {
  listTokens: {
    route: 'GET /tokens',
    summary: 'List admin tokens',
    role: 'owner',
    scope: 'whole service',
    description: 'Without a `limit` all of them.',
    query: Type.Object({
      text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a label or an id.' })),
      state: Type.Optional(Type.Enum(['active', 'revoked'])),
      ...pageQuery,
    }),
    response: Type.Object({ tokens: Type.Array(Token), next_cursor: Cursor }),
  },
  createToken: {
    route: 'POST /tokens',
    summary: 'Make an admin token; the answer is the only place where it is ever shown',
    role: 'owner',
    scope: 'whole service',
    status: 201,
    body: Type.Object({
      label: Type.Optional(orNull(Type.String({ maxLength: 200 }))),
      role: token.role,
      project: Type.Optional(orNull(Type.String())),
    }),
    response: Type.Object({ ...token, token: Type.String() }),
  },
  revokeToken: {
    route: 'POST /tokens/:id/revoke',
    summary: 'Revoke an admin token, and end the console sessions that were opened with it',
    role: 'owner',
    scope: 'whole service',
    params: Type.Object({ id: Type.String() }),
    response: Token,
  },
} satisfies AdminOperationRows

/** The console's sessions, and ending them. */
export const signedInOperations = {
  listSessions: {
    route: 'GET /sessions',
    summary: 'List the sessions of the console with address and time of sign-in, newest first',
    description: 'Returns all of them, or one page if limit is given.',
    role: 'owner',
    scope: 'whole service',
    query: Type.Object({
      text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name of the signed-in operator.' })),
      ...pageQuery,
    }),
    response: Type.Object({ sessions: Type.Array(Session), next_cursor: Cursor }),
  },
  endSession: {
    route: 'POST /sessions/:id/end',
    summary: 'End one session at once, on every node',
    role: 'owner',
    scope: 'whole service',
    params: Type.Object({ id: Type.String() }),
    body: Type.Object({ reason }),
    response: Ended,
  },
  endSessionsOf: {
    route: 'POST /sessions/end',
    summary: 'End all sessions of a person at once',
    description:
      'A person that still has a role can sign in again. First remove them from the group, or revoke their token.',
    role: 'owner',
    scope: 'whole service',
    body: Type.Object({
      person: Type.String({ minLength: 1, description: 'As the list names them; `person:` may be left out.' }),
      reason,
    }),
    response: Ended,
  },
} satisfies AdminOperationRows
