import type { ErasurePlan } from '../store/erasure/plan-erasure.ts'
import {
  eraseSubjects,
  previewErasures,
  type Erasing,
  type Erasures,
  type Subject,
  type SubjectErased,
  type Suppressing,
} from './erase-subjects.ts'
import type { ErasingStore } from './erasure-steps.ts'

export interface ErasurePreview extends ErasurePlan {
  calls: number
  replays: number
  /** Payloads, versions and events of others that mention the subject. */
  mentions: number
}

export type ErasureReport = SubjectErased & Omit<Erasures, 'subjects'>

/** Returns what `eraseSubject` would remove, without changing anything. */
export async function previewErasure(store: ErasingStore, subject: Subject): Promise<ErasurePreview> {
  const { plans, ...counts } = await previewErasures(store, [subject])
  const [plan] = plans
  if (!plan) throw new Error('an erasure was not planned')
  return { ...plan, ...counts }
}

/** `eraseSubjects` for one subject. */
export async function eraseSubject(
  store: ErasingStore,
  list: Suppressing,
  { kind, ref, entityIds, markers, ...erasing }: Subject & Erasing,
): Promise<ErasureReport> {
  const subject = { kind, ref, ...(entityIds ? { entityIds } : {}), ...(markers ? { markers } : {}) }
  const { subjects, ...counts } = await eraseSubjects(store, list, [subject], erasing)
  const [erased] = subjects
  if (!erased) throw new Error('an erasure has no report')
  return { ...erased, ...counts }
}
