import { PageHead } from './elements/page-head.tsx'
import { Loading } from './elements/states.tsx'
import { pages } from './pages.ts'
import { SignIn, SignInAgain } from './pages/sessions/sign-in.tsx'
import { useRoute } from './router.ts'
import { useSessionState } from './session.tsx'
import { Shell } from './shell.tsx'
import { useZone } from './zone.ts'

/** The whole console: the sign-in page, or the pages for a signed-in operator. */
export function App() {
  const { session, ended } = useSessionState()
  const route = useRoute()
  // Every page is drawn again when the zone of times changes.
  useZone()
  if (session === undefined)
    return (
      <main class="alone">
        <Loading />
      </main>
    )
  if (session === null) return <SignIn />
  const page = pages.find(({ name }) => name === route.page)
  const forbidden = page && !session.capabilities.includes(page.needs)
  const shell = (
    // The key resets all pages when a different person signs in, so that they never see the previous person's input.
    <Shell key={`${session.actor} ${session.role} ${session.project}`} current={route.page} address={route.address}>
      {page && !forbidden ? (
        <page.Page key={route.page} route={route} />
      ) : (
        <PageHead title={forbidden ? 'You may not open this page' : 'This page does not exist'}>
          {forbidden ? (
            `Your role is ${session.role}${session.project ? `, limited to project ${session.project}` : ''}.`
          ) : (
            <a href="#/overview">To the overview</a>
          )}
        </PageHead>
      )}
    </Shell>
  )
  return (
    <>
      <div hidden={ended}>{shell}</div>
      {ended ? <SignInAgain /> : null}
    </>
  )
}
