import { useEffect } from 'preact/hooks'
import { Icon } from '../elements/icon.tsx'
import { lazy } from '../lazy.tsx'

/** The dialog comes when it is first opened, with the words of all failures and actions. */
export const SearchDialog = lazy(async () => (await import('./search-dialog.tsx')).SearchDialog)

/** The button that opens the search, shown on a phone as an icon only. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" class="search-button" aria-keyshortcuts="Control+K" onClick={onOpen}>
      <Icon name="search" />
      <span>Search</span>
      <kbd aria-hidden="true">Ctrl K</kbd>
    </button>
  )
}

/** Opens the search on Ctrl-K, or Command-K on a Mac. */
export function useSearchKey(onOpen: () => void): void {
  useEffect(() => {
    // Loaded early, so that the first letters typed after the keys are not lost.
    void import('./search-dialog.tsx').catch(() => undefined)
  }, [])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (
        !(event.ctrlKey || event.metaKey) ||
        event.key.toLowerCase() !== 'k' ||
        document.querySelector('dialog[open]')
      )
        return
      event.preventDefault()
      onOpen()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onOpen])
}
