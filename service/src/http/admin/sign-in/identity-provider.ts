import { createHmac, hash } from 'node:crypto'
import type * as OpenId from 'openid-client'
import type { OidcConfig } from '../../../config/sign-in-config.ts'
import { hasGroups, readPerson, type Person } from './person.ts'

/** The reason for a failed sign-in: the issuer is unreachable, or the issuer or the service refused. `reason` is safe to show. */
export class SignInFault extends Error {
  readonly kind: 'unreachable' | 'refused'
  /** The error code in the issuer's response, if any. */
  readonly issuerSaid: string | null

  constructor(kind: 'unreachable' | 'refused', reason: string, options: ErrorOptions & { issuerSaid?: string } = {}) {
    super(reason, options)
    this.name = 'SignInFault'
    this.kind = kind
    this.issuerSaid = options.issuerSaid ?? null
  }
}

/** How a token request carries the client secret. */
type SecretIn = 'header' | 'body'

interface Deps {
  oidc: OidcConfig
  redirectUri: string
}

const timeoutSeconds = 10
const clockSkewSeconds = 60

/** Derives state, nonce and PKCE verifier from one secret, which the browser keeps during the sign-in. */
export function flowOf(secret: string) {
  const derive = (label: string) => createHmac('sha256', secret).update(label).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

/** The issuer's URL for the sign-in. */
export async function authorizationUrl({ oidc, redirectUri }: Deps, secret: string): Promise<URL> {
  const { client, configuration } = await discover(oidc)
  const { state, nonce, verifier } = flowOf(secret)
  return client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: oidc.scopes,
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })
}

/** Exchanges the authorization code for the person who signed in. */
export async function redeemCode(
  { oidc, redirectUri }: Deps,
  query: string,
  secret: string,
): Promise<{ person: Person; idToken: string }> {
  const { state, nonce, verifier } = flowOf(secret)
  // Built from the settings, because request headers could name another host.
  const address = new URL(`${redirectUri}${query}`)
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
  const redeem = async (secretIn: SecretIn) => {
    const { client, configuration } = await discover(oidc, secretIn)
    return asFault(client, async () => {
      const tokens = await client.authorizationCodeGrant(configuration, address, checks)
      return { client, configuration, tokens }
    })
  }
  // An issuer accepts one of the two methods and does not say which. A refused client does not use up the code.
  const { client, configuration, tokens } = await redeem('header').catch((fault: unknown) => {
    if (fault instanceof SignInFault && fault.issuerSaid === 'invalid_client' && oidc.clientSecret !== null)
      return redeem('body')
    throw fault
  })
  return asFault(client, async () => {
    const idClaims = tokens.claims()
    if (!idClaims || !tokens.id_token) throw new SignInFault('refused', 'The issuer sent no ID token.')
    const { sub } = idClaims
    const asked = !hasGroups(idClaims, oidc.roleClaim) && configuration.serverMetadata().userinfo_endpoint
    const more = asked ? await client.fetchUserInfo(configuration, tokens.access_token, sub) : {}
    return { person: readPerson({ ...idClaims, ...more }, sub, oidc.roleClaim), idToken: tokens.id_token }
  })
}

/** The issuer's URL for signing out; null if it does not offer one. */
export async function endSessionUrl(oidc: OidcConfig, idToken: string | null, back: string): Promise<string | null> {
  const { client, configuration } = await discover(oidc)
  if (!configuration.serverMetadata().end_session_endpoint) return null
  const hint = idToken === null ? {} : { id_token_hint: idToken }
  return client.buildEndSessionUrl(configuration, { ...hint, post_logout_redirect_uri: back }).href
}

/** Reads the issuer's configuration and keys for each sign-in: sign-ins are rare, and both may have changed. */
async function discover(oidc: OidcConfig, secretIn: SecretIn = 'header') {
  // Loaded at the first sign-in, to keep the start fast.
  const client = await import('openid-client')
  const { issuer, clientId, clientSecret } = oidc
  const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
  const configuration = await asFault(client, () =>
    client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: clockSkewSeconds },
      authentication(client, clientSecret, secretIn),
      {
        timeout: timeoutSeconds,
        // Checks the signature as well, although the token comes directly from the issuer.
        execute: [...insecure, client.enableNonRepudiationChecks],
      },
    ),
  )
  return { client, configuration }
}

function authentication(client: typeof OpenId, secret: string | null, secretIn: SecretIn): OpenId.ClientAuth {
  if (secret === null) return client.None()
  return secretIn === 'header' ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
}

async function asFault<T>(client: typeof OpenId, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SignInFault) throw error
    if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
      throw new SignInFault('refused', `The issuer answered "${error.error}".`, {
        cause: error,
        issuerSaid: error.error,
      })
    const code = error instanceof client.ClientError ? error.code : undefined
    const unreachable =
      !(error instanceof client.ClientError) || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
    if (unreachable) throw new SignInFault('unreachable', 'The issuer cannot be reached.', { cause: error })
    throw new SignInFault('refused', `Its answer does not fit: ${error.message} (${code ?? 'no code'}).`, {
      cause: error,
    })
  }
}
