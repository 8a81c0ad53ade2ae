import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../elements/button.tsx'
import { TextField } from '../../elements/field.tsx'
import { ErrorNotice, Notice } from '../../elements/notice.tsx'
import { Loading } from '../../elements/states.tsx'
import logo from '../../logo.svg'
import { rememberPage, useSessionState } from '../../session.tsx'
import { ThemeToggle } from '../../theme/theme-toggle.tsx'
import { useAction } from '../../use-action.ts'

/** The sign-in methods that the service offers. */
interface Options {
  token: boolean
  single_sign_on: string | null
}

/** The sign-in page. */
export function SignIn() {
  return (
    <main class="alone">
      <WayIn />
    </main>
  )
}

/** Asks for a new sign-in after the session ended. It is modal, because an open form may be a modal dialog too. */
export function SignInAgain() {
  const element = useRef<HTMLDialogElement>(null)
  const [title] = useState(document.title)
  const stay = () => element.current?.isConnected && element.current.showModal()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      dialog?.close()
      document.title = title
    }
  }, [title])
  return (
    <dialog
      ref={element}
      class="alone"
      aria-label="Sign in again"
      onCancel={(event) => event.preventDefault()}
      onClose={stay}
    >
      <WayIn />
    </dialog>
  )
}

/** The form to sign in by identity provider, admin token or either. */
function WayIn() {
  const { ended } = useSessionState()
  const [options, setOptions] = useState<Options | null>(null)
  useEffect(() => {
    document.title = 'Sign in · Vitae'
    // If this request fails, offer the token form; the sign-in itself then shows the error.
    readOptions().then(setOptions, () => setOptions({ token: true, single_sign_on: null }))
  }, [])
  return (
    <>
      <div class="sign-in">
        <div class="sign-in-head">
          <img src={logo} width={40} height={40} alt="" />
          <ThemeToggle />
        </div>
        <h1>Vitae console</h1>
        {ended ? <Notice>The session has ended. Sign in again.</Notice> : null}
        {options ? <Ways {...options} /> : <Loading />}
      </div>
      <p class="faint">
        <a href="/docs">API reference</a> · <a href="/">What this is</a>
      </p>
    </>
  )
}

function Ways({ token, single_sign_on: url }: Options) {
  const { ended } = useSessionState()
  if (url === null) return token ? <TokenForm /> : <Notice>Signing in to the console is turned off.</Notice>
  return (
    <>
      {ended ? (
        // Open another tab, because leaving this one would lose the input on the page behind the dialog.
        <a class="button primary" href={url} target="_blank" rel="noopener">
          Sign in with your account
        </a>
      ) : (
        <a class="button primary" href={url} onClick={rememberPage}>
          Sign in with your account
        </a>
      )}
      {ended ? <p class="hint">Opens another tab. Your input here is kept, and is sent after you sign in.</p> : null}
      {token ? (
        <details class="other-way">
          <summary>Use an admin token</summary>
          <TokenForm />
        </details>
      ) : null}
    </>
  )
}

/** Exchanges an admin token for a session. The token is sent once and not stored. */
function TokenForm() {
  const { signIn } = useSessionState()
  const [token, setToken] = useState('')
  const action = useAction()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(() => signIn(token.trim()))
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label="Admin token"
        type="password"
        value={token}
        onInput={setToken}
        required
        mono
        focus
        autoComplete="current-password"
        hint={
          <>
            The owner's token is <code>VITAE_ADMIN_TOKEN</code>, or else in the file <code>admin-token</code> of the
            data folder.
          </>
        }
      />
      <ErrorNotice error={action.error} />
      <Button kind="primary" type="submit" busy={action.busy} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}

async function readOptions(): Promise<Options> {
  const answer = await fetch('/console/sign-in/options')
  if (!answer.ok) throw new Error(`the ways to sign in: ${answer.status}`)
  return (await answer.json()) as Options
}
