import { generateKeyPairSync, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import Provider, { type Configuration } from 'oidc-provider'

/** The person that the issuer signs in for every request. */
export interface TestPerson {
  id: string
  email: string
  email_verified: boolean
  preferred_username?: string
  groups: string[]
}

interface Wish {
  consoleUrl: string
  clientId: string
  clientSecret: string
}

const scopes = 'openid email groups'

/**
 * A certified OpenID Connect issuer on loopback, under another host name than the service, so that cookies cross sites.
 */
export class TestIssuer {
  readonly port = freePort()
  readonly url = `http://localhost:${this.port}`
  readonly #wish: Wish
  /** The number of interactive logins. */
  logins = 0
  person: TestPerson
  #server: Server | null = null

  constructor(wish: Wish, person: TestPerson) {
    this.#wish = wish
    this.person = person
  }

  /** Starts it with new keys. `claimsIn` selects whether groups are in the ID token or at the user info endpoint. */
  async start(claimsIn: 'id token' | 'user info'): Promise<void> {
    const provider = new Provider(this.url, this.#configuration(claimsIn))
    const serve = provider.callback()
    this.#server = createServer((request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void serve(request, response)
      this.logins += 1
      void provider.interactionFinished(request, response, { login: { accountId: this.person.id } })
    })
    this.#server.listen(this.port, 'localhost')
    await once(this.#server, 'listening')
  }

  async stop(): Promise<void> {
    this.#server?.close()
    this.#server?.closeAllConnections()
    this.#server = null
  }

  #configuration(claimsIn: string): Configuration {
    const { consoleUrl, clientId, clientSecret } = this.#wish
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const client = { client_id: clientId, client_secret: clientSecret }
    return {
      clients: [
        {
          ...client,
          redirect_uris: [`${consoleUrl}/console/sign-in/callback`],
          post_logout_redirect_uris: [`${consoleUrl}/console`],
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      scopes: scopes.split(' '),
      claims: { openid: ['sub'], email: ['email', 'email_verified', 'preferred_username'], groups: ['groups'] },
      conformIdTokenClaims: claimsIn === 'user info',
      pkce: { required: () => true },
      cookies: { keys: ['of a test'] },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      findAccount: (_, accountId) => {
        const { id: _id, ...claims } = this.person
        return { accountId, claims: async () => ({ sub: accountId, ...claims }) }
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // Consent is given in advance.
      loadExistingGrant: async ({ oidc }) => {
        const accountId = oidc.session?.accountId ?? ''
        const grant = new oidc.provider.Grant({ clientId, accountId })
        grant.addOIDCScope(scopes)
        await grant.save()
        return grant
      },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          logoutSource: (ctx, form) => {
            ctx.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`
          },
        },
      },
    }
  }
}

/** A port below those that the system assigns to other tests. */
export function freePort(): number {
  return randomInt(20_000, 32_000)
}
