import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { api, ApiError } from './api.ts'
import type { AdminAnswer, AdminOperationId as Operation } from '@vitae/contract/admin'

type SessionAnswer = AdminAnswer<'showSession'>

/** Who is signed in; a limited token sees one project only. */
export type Session = Omit<SessionAnswer, 'csrf'>

interface SessionState {
  /** Undefined while it is not known yet, null when nobody is signed in. One that ended by itself stays until somebody signs in. */
  session: Session | null | undefined
  /** Whether the session has ended by itself. */
  ended: boolean
  signIn: (token: string) => Promise<void>
  signOut: () => Promise<void>
}

const mark = 'vitae-signed-in'
/** Somebody signed in where a session had ended: what failed meanwhile is asked for again. */
export const signedInEvent = 'vitae-signed-in'
const SessionContext = createContext<SessionState | null>(null)

/** Keeps the session for everything below it. */
export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const [ended, setEnded] = useState(false)
  const state = useMemo<SessionState>(() => {
    // What was typed stays: the pages are hidden, and shown again to the same person.
    api.onSignedOut = () => setEnded(true)
    return {
      session,
      ended,
      async signIn(token) {
        await api.post('/session', { token })
        // Read back: a browser that drops the cookie must not look signed in.
        setSession(await readSession())
        markSignedIn()
        setEnded(false)
        dispatchEvent(new Event(signedInEvent))
      },
      async signOut() {
        const { sign_out_url: url } = await api.delete<{ sign_out_url: string | null }>('/session')
        api.csrf = null
        localStorage.removeItem(mark)
        setSession(null)
        if (url !== null) location.assign(url)
      },
    }
  }, [session, ended])

  useEffect(() => {
    if (cameFromSingleSignOn()) markSignedIn()
    // The cookie is not readable from here. Without the mark there is none, and no request ends in a 401.
    if (localStorage.getItem(mark) === null) return setSession(null)
    readSession().then(setSession, () => {
      localStorage.removeItem(mark)
      setSession(null)
    })
  }, [])
  useEffect(() => {
    // All tabs share one cookie: when another one signs in or out, this one shows the same person.
    const follow = ({ key, newValue }: StorageEvent) => {
      if (key !== mark) return
      if (newValue !== null) {
        const show = (next: Session) => {
          setSession(next)
          setEnded(false)
          dispatchEvent(new Event(signedInEvent))
        }
        return void readSession().then(show, () => setSession(null))
      }
      api.csrf = null
      setSession(null)
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])
  return <SessionContext.Provider value={state}>{children}</SessionContext.Provider>
}

/** Tells the other tabs too; a new value every time, or they would not hear of a second sign-in. */
function markSignedIn(): void {
  localStorage.setItem(mark, String(Date.now()))
}

/** Where in the console somebody was when they left to sign in. */
const returnMark = 'vitae-return-to'

/** Remembers the page that is shown now for the way back from the identity provider. */
export function rememberPage(): void {
  sessionStorage.setItem(returnMark, location.hash)
}

/** Whether the browser has just come back signed in; the address then becomes that of the page where it left. */
function cameFromSingleSignOn(): boolean {
  if (!location.search.includes('signed-in')) return false
  const hash = sessionStorage.getItem(returnMark) ?? ''
  sessionStorage.removeItem(returnMark)
  history.replaceState(null, '', location.pathname + hash)
  if (hash !== '') dispatchEvent(new HashChangeEvent('hashchange'))
  return true
}

async function readSession(): Promise<Session> {
  try {
    const { csrf, ...session } = await api.get<SessionAnswer>('/session')
    api.csrf = csrf
    api.hasEnded = false
    return session
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const detail =
      'The sign-in was right, but the browser did not keep the session cookie. Off loopback the console needs https.'
    throw new ApiError(detail, { status: 401, code: error.code, requestId: error.requestId })
  }
}

export function useSessionState(): SessionState {
  const state = useContext(SessionContext)
  if (!state) throw new Error('no session above this component')
  return state
}

/** The signed-in session; only pages behind the sign-in use it. */
export function useSession(): Session {
  const { session } = useSessionState()
  if (!session) throw new Error('this page needs a signed-in session')
  return session
}

/** Whether the service lets the signed-in person use an operation; what it does not is not offered. */
export function useCan(operation: Operation): boolean {
  return useSession().capabilities.includes(operation)
}
