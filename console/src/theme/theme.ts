import { useEffect, useState } from 'preact/hooks'

export type Theme = 'auto' | 'light' | 'dark'
const place = 'vitae-theme'

/** Applies the stored theme before the first paint. */
export function applyStoredTheme(): void {
  applyTheme(storedTheme())
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(place)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}

function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  dispatchEvent(new Event('vitae-theme'))
}

/** The current theme and a function to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(storedTheme)
  return [
    theme,
    (next) => {
      localStorage.setItem(place, next)
      applyTheme(next)
      setTheme(next)
    },
  ]
}

/** Counts theme changes, so that a canvas can be redrawn after each one. */
export function useColourChanges(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const next = () => setCount((value) => value + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', next)
    addEventListener('vitae-theme', next)
    return () => {
      dark.removeEventListener('change', next)
      removeEventListener('vitae-theme', next)
    }
  }, [])
  return count
}
