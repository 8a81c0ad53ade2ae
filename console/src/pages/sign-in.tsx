import { useEffect, useState } from 'preact/hooks'
import { Button } from '../elements/button.tsx'
import { TextField } from '../elements/field.tsx'
import { ErrorNotice, Notice } from '../elements/notice.tsx'
import logo from '../logo.svg'
import { useSessionState } from '../session.tsx'
import { ThemeToggle } from '../theme/theme-toggle.tsx'
import { useAction } from '../use-action.ts'

/** Changes an admin token for a session. The token is sent once and kept nowhere. */
export function SignIn() {
  const { signIn, ended } = useSessionState()
  const [token, setToken] = useState('')
  const action = useAction()
  useEffect(() => void (document.title = 'Sign in · Vitae'), [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(() => signIn(token.trim()))
  }
  return (
    <main class="alone">
      <div class="sign-in">
        <div class="sign-in-head">
          <img src={logo} width={40} height={40} alt="" />
          <ThemeToggle />
        </div>
        <h1>Vitae console</h1>
        {ended ? <Notice>The session has ended. Sign in again.</Notice> : null}
        <form onSubmit={submit}>
          <TextField
            label="Admin token"
            type="password"
            value={token}
            onInput={setToken}
            required
            mono
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
      </div>
      <p class="faint">
        <a href="/docs">API reference</a> · <a href="/">What this is</a>
      </p>
    </main>
  )
}
