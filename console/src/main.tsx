import { render } from 'preact'
import 'uplot/dist/uPlot.min.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/elements.css'
import './styles/pages.css'
import './styles/search.css'
import { App } from './app.tsx'
import { SessionProvider } from './session.tsx'
import { applyStoredTheme } from './theme/theme.ts'

applyStoredTheme()
const place = document.querySelector('#app')
if (place) {
  // The frame that was shown until this script arrived.
  place.textContent = ''
  render(
    <SessionProvider>
      <App />
    </SessionProvider>,
    place,
  )
}
