import Type from 'typebox'
import { closed } from './shapes.ts'

export const Health = closed({ status: Type.Enum(['ok']) }, 'The process is alive.')

/** An open object: loopback callers and holders of an admin token also get the state of each part. */
export const Readiness = Type.Object(
  { status: Type.Enum(['ready', 'not_ready']) },
  { description: 'Whether the service can answer calls. Callers on loopback and administrators also see details.' },
)
