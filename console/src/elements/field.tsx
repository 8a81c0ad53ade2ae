import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  children: (id: string, hintId: string | undefined) => JSX.Element
}

/** A control with its label and hint, linked for screen readers. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  const hintId = hint ? `${id}-hint` : undefined
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint ? (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

interface TextProps {
  label: string
  value: string
  onInput: (value: string) => void
  hint?: ComponentChildren
  type?: 'text' | 'password' | 'number' | 'search' | 'datetime-local'
  placeholder?: string
  required?: boolean
  mono?: boolean
  autoComplete?: 'off' | 'current-password'
  list?: string
  min?: number
  focus?: boolean
}

/** A field for one line of text. */
export function TextField({ label, value, onInput, hint, mono, focus, autoComplete = 'off', ...rest }: TextProps) {
  // Preact's types allow a different set of attributes per input type; ours are valid for every type in use.
  const others: object = rest
  return (
    <Field label={label} hint={hint}>
      {(id, hintId) => (
        <input
          id={id}
          class={mono ? 'input mono' : 'input'}
          value={value}
          autoComplete={autoComplete}
          autoCapitalize="off"
          spellcheck={false}
          aria-describedby={hintId}
          autoFocus={focus === true}
          onInput={(event) => onInput(event.currentTarget.value)}
          {...others}
        />
      )}
    </Field>
  )
}

/** A field for identifiers, one per line. */
export function IdsField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  return (
    <Field label="Slugs, URLs or ids" hint="One per line.">
      {(id, hintId) => (
        <textarea
          id={id}
          class="input mono"
          aria-describedby={hintId}
          value={value}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface SelectProps<T extends string> {
  label: string
  value: NoInfer<T>
  options: readonly (readonly [value: T, text: string])[]
  onChange: (value: NoInfer<T>) => void
  hint?: ComponentChildren
}

/** A field to choose one of a few options. */
export function SelectField<T extends string>({ label, value, options, onChange, hint }: SelectProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(id, hintId) => (
        <select
          id={id}
          class="input"
          value={value}
          aria-describedby={hintId}
          onChange={(event) => {
            const chosen = options.find(([option]) => option === event.currentTarget.value)
            if (chosen) onChange(chosen[0])
          }}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A checkbox with its label. */
export function CheckField({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
