import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { api, ApiError } from './api.ts'
import type { AdminAnswer, AdminOperationId as Operation } from '@vitae/contract/admin'

type SessionAnswer = AdminAnswer<'showSession'>

/** The signed-in person or token. A limited token sees one project only. */
export type Session = Omit<SessionAnswer, 'csrf'>

interface SessionState {
  /** Undefined while it loads, null if nobody is signed in. An expired session stays here until the next sign-in. */
  session: Session | null | undefined
  /** True if the session ended without a sign-out. */
  ended: boolean
  signIn: (token: string) => Promise<void>
  signOut: () => Promise<void>
}

const mark = 'vitae-signed-in'
/** Sent after a sign-in, so that all queries reload, including those that failed without a session. */
export const signedInEvent = 'vitae-signed-in'
const SessionContext = createContext<SessionState | null>(null)

/** Provides the session to all components below it. */
export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const [ended, setEnded] = useState(false)
  const state = useMemo<SessionState>(() => {
    // Keep the session, so that the pages keep their input until the same person signs in again.
    api.onSignedOut = () => setEnded(true)
    return {
      session,
      ended,
      async signIn(token) {
        await api.post('/session', { token })
        // Read the session back: if the browser drops the cookie, the page must not look signed in.
        setSession(await readSession())
        markSignedIn()
        setEnded(false)
        dispatchEvent(new Event(signedInEvent))
      },
      async signOut() {
        const { sign_out_url: url } = await api.delete('/session')
        api.csrf = null
        localStorage.removeItem(mark)
        setSession(null)
        if (url !== null) location.assign(url)
      },
    }
  }, [session, ended])

  useEffect(() => {
    if (cameFromSingleSignOn()) markSignedIn()
    // Scripts cannot read the cookie. The mark shows that there is one, which avoids a request that returns 401.
    if (localStorage.getItem(mark) === null) return setSession(null)
    readSession().then(setSession, () => {
      localStorage.removeItem(mark)
      setSession(null)
    })
  }, [])
  useEffect(() => {
    // All tabs share one cookie, so this tab follows a sign-in or sign-out in another tab.
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

/** Notifies the other tabs. The value must change each time, or a second sign-in fires no storage event. */
function markSignedIn(): void {
  localStorage.setItem(mark, String(Date.now()))
}

/** Storage key of the page to return to after single sign-on. */
const returnMark = 'vitae-return-to'

/** Stores the current page, to return to it from the identity provider. */
export function rememberPage(): void {
  sessionStorage.setItem(returnMark, location.hash)
}

/** Returns true after a return from single sign-on, and restores the page that the user left. */
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
    const { csrf, ...session } = await api.get('/session')
    api.csrf = csrf
    api.hasEnded = false
    return session
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const detail =
      'The sign-in succeeded, but the browser did not keep the session cookie. The console needs https, except on loopback.'
    throw new ApiError(detail, { status: 401, code: error.code, requestId: error.requestId })
  }
}

/** The session state, including "not signed in" and "session ended". */
export function useSessionState(): SessionState {
  const state = useContext(SessionContext)
  if (!state) throw new Error('no session above this component')
  return state
}

/** The signed-in session. Throws outside the pages behind the sign-in. */
export function useSession(): Session {
  const { session } = useSessionState()
  if (!session) throw new Error('this page needs a signed-in session')
  return session
}

/** Returns true if the signed-in user may use an operation. The console hides actions without this right. */
export function useCan(operation: Operation): boolean {
  return useSession().capabilities.includes(operation)
}
