import type { LifecycleStore } from '../operations.ts'

/** One thing that `vitae doctor` looked at, and how to fix it. */
export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  mend: string | null
}

/** A finding of something that is as it should be. */
export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, mend: null }
}

const name = 'doctor.findings'

/** Keeps what the doctor found, but for what is right. A store that takes no writes is no reason for it to fail. */
export async function keepFindings(store: Pick<LifecycleStore, 'writeSetting'>, findings: Finding[]): Promise<void> {
  const wrong = findings.filter(({ state }) => state !== 'ok')
  await store.writeSetting({ name, value: JSON.stringify(wrong) }).catch(() => undefined)
}

/** What the doctor found when it last looked. */
export async function readFindings(store: Pick<LifecycleStore, 'readSetting'>): Promise<Finding[]> {
  const text = await store.readSetting({ name })
  // Written by keepFindings.
  return text === null || text === '' ? [] : (JSON.parse(text) as Finding[])
}
