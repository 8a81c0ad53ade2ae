import { Icon } from '../elements/icon.tsx'
import { useTheme, type Theme } from './theme.ts'

const next: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' }
const words: Record<Theme, string> = { auto: 'as the system', light: 'light', dark: 'dark' }
const icons = { auto: 'screen', light: 'sun', dark: 'moon' } as const

/** A button that cycles through the system's theme, light and dark. */
export function ThemeToggle() {
  const [theme, setTheme] = useTheme()
  const label = `Colours: ${words[theme]}. Switch to ${words[next[theme]]}.`
  return (
    <button
      type="button"
      class="button quiet small"
      aria-label={label}
      title={label}
      onClick={() => setTheme(next[theme])}
    >
      <Icon name={icons[theme]} size={18} />
    </button>
  )
}
