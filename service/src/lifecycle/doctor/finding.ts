import type { SettingStore } from '../../cluster/node-operations.ts'

/** One check of `vitae doctor`: its result and how to fix it. */
export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  mend: string | null
  /** The same at the command line. The console has buttons and links for it. */
  hint?: string
}

/** A finding without a problem. */
export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, mend: null }
}

const name = 'doctor.findings'

/** Stores the doctor's findings, except those without a problem. A read-only store must not make it fail. */
export async function keepFindings(
  store: { settings: Pick<SettingStore, 'writeSetting'> },
  findings: Finding[],
): Promise<void> {
  const wrong = findings.filter(({ state }) => state !== 'ok')
  await store.settings.writeSetting({ name, value: JSON.stringify(wrong) }).catch(() => undefined)
}

/** The findings of the doctor's last run. */
export async function readFindings(store: { settings: Pick<SettingStore, 'readSetting'> }): Promise<Finding[]> {
  const text = await store.settings.readSetting({ name })
  // Written by keepFindings.
  return text === null || text === '' ? [] : (JSON.parse(text) as Finding[])
}
