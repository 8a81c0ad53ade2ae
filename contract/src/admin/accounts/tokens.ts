import Type from 'typebox'
import { type AdminOperationRows, roles } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull, Label } from '../schemas.ts'

const token = {
  id: Type.String(),
  label: orNull(Type.String()),
  role: Type.Enum([...roles]),
  project: orNull(
    Type.String({ description: 'The only project that this token or session may use; null = all projects.' }),
  ),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
}
const Token = Type.Object(token)
const Session = Type.Object({
  id: Type.String(),
  actor: Type.String({
    description: 'The signed-in operator, as in the audit log: `person:...`, `token:...` or `owner`.',
  }),
  actor_name: orNull(
    Type.String({ description: 'The label of the admin token that signed in; null if the token has no label.' }),
  ),
  role: Type.Enum([...roles]),
  project: orNull(
    Type.String({ description: 'The only project that this token or session may use; null = all projects.' }),
  ),
  method: Type.Enum(['token', 'single_sign_on']),
  address: orNull(Type.String({ description: 'The network address from which the operator signed in.' })),
  user_agent: orNull(Type.String()),
  created_at: Time,
  last_used_at: Type.String({
    format: 'date-time',
    description: 'The time of the last request of this session, exact to a minute.',
  }),
  expires_at: Time,
  current: Type.Boolean({ description: 'True for the session that makes this request.' }),
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
    description: 'Returns all tokens, or one page if `limit` is sent.',
    query: Type.Object({
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only tokens whose label or id contains this text.' }),
      ),
      state: Type.Optional(Type.Enum(['active', 'revoked'])),
      ...pageQuery,
    }),
    response: Type.Object({ tokens: Type.Array(Token), next_cursor: Cursor }),
  },
  createToken: {
    route: 'POST /tokens',
    summary: 'Create an admin token; only this response shows it',
    role: 'owner',
    scope: 'whole service',
    status: 201,
    body: Type.Object({
      label: Type.Optional(orNull(Label)),
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
    summary: 'List the console sessions with IP address and time of sign-in, newest first',
    description: 'Returns all sessions, or one page if `limit` is sent.',
    role: 'owner',
    scope: 'whole service',
    query: Type.Object({
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only sessions of operators whose name contains this text.' }),
      ),
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
      'A person who still has a role can sign in again. To prevent this, first remove them from the group or revoke their token.',
    role: 'owner',
    scope: 'whole service',
    body: Type.Object({
      person: Type.String({
        minLength: 1,
        description: 'The `actor` of the sessions to end. The prefix `person:` may be left out.',
      }),
      reason,
    }),
    response: Ended,
  },
} satisfies AdminOperationRows
