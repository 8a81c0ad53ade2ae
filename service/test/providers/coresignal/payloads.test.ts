import { expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import { bytes, goldenAnswers } from '../golden/golden-answers.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const real = [...sharedPayloads('coresignal')]

test.runIf(real.length > 0)('the real payloads have the ids of the platform, and their own age', () => {
  for (const [file, payload] of real) {
    const { identity, sourceUpdatedAt } = provider.project(kindOf(file), payload)
    expect(identity.derived).toBe(false)
    expect(sourceUpdatedAt).toBeGreaterThan(Date.UTC(2025, 7))
  }
})

test("no record contains the vendor's own ids", () => {
  const golden = goldenAnswers('coresignal').flatMap(({ kind, payload }) => (kind === 'people' ? [bytes(payload)] : []))
  const shared = real.flatMap(([file, payload]) => (kindOf(file) === 'people' ? [payload] : []))
  for (const payload of [...golden, ...shared]) {
    const raw = JSON.parse(new TextDecoder().decode(payload))
    const ids = [raw.id, ...raw.experience.map((row: { company_id: number | null }) => row.company_id)]
    const record = JSON.stringify(provider.project('people', payload).record)

    for (const id of ids.filter(Boolean)) expect(record).not.toContain(`"${id}"`)
  }
})
