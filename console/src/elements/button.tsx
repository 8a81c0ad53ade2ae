import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface Props {
  children: ComponentChildren
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  type?: 'button' | 'submit'
  icon?: IconName
  busy?: boolean
  disabled?: boolean
  small?: boolean
  /** Accessible name with action and object, for buttons whose visible text is too short. */
  label?: string
  /** For a button that opens and closes something: whether it is open. */
  expanded?: boolean
  onClick?: () => void
}

/** A button that shows work in progress and cannot be pressed again until the work is done. */
export function Button({
  children,
  kind = 'plain',
  type = 'button',
  icon,
  busy,
  disabled,
  small,
  label,
  expanded,
  onClick,
}: Props) {
  return (
    <button
      type={type}
      class={`button ${kind}${small ? ' small' : ''}`}
      disabled={disabled === true || busy === true}
      aria-busy={busy === true}
      aria-label={label}
      aria-expanded={expanded}
      onClick={onClick}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon ? <Icon name={icon} /> : null}
      <span>{children}</span>
    </button>
  )
}
