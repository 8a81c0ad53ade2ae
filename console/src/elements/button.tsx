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
  /** What is done and to what, where the visible word alone does not say it. */
  label?: string
  /** Of a button that shows and hides something: whether it is shown. */
  expanded?: boolean
  onClick?: () => void
}

/** A button that shows when its work is under way, and cannot be pressed twice meanwhile. */
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
