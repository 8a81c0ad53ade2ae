import type { usageGroups } from '@vitae/contract/admin'
import type { Kind } from '@vitae/contract'

/** The dimensions by which calls can be grouped. An environment is always grouped together with its project. */
export type UsageGroup = (typeof usageGroups)[number]

/** The group of a row; only the requested names are set. */
export interface UsageNames {
  project?: string
  environment?: string
  keyId?: string
  tag?: string | null
  kind?: Kind | null
  source?: string | null
  status?: number
}

/** Days of a zone that follow each other and are equally long. */
export interface ZoneDays {
  from: number
  until: number
  lengthMs: number
}

export interface UsageAsk {
  since: number
  until: number
  /** Length of a period; periods begin at multiples of it since the epoch. Or the days of a zone. Null = one period. */
  bucket: number | 'month' | readonly ZoneDays[] | null
  by: readonly UsageGroup[]
  project: string | null
  environment: string | null
  /** Only this key. */
  keyId?: string | null
  /** Only this tag; an empty string means calls without a tag. */
  tag?: string | null
  mode: 'live' | 'test' | null
  /** Whether to include durations. Sums by key or tag do not contain them. */
  durations?: boolean
}

/** Calls of one period and group. */
export interface UsageCount extends UsageNames {
  /** The start of the period; of the whole time range if there is only one period. */
  at: number
  calls: number
  credits: number
  /** The distribution of durations, `step:calls step:calls`; null if not requested. */
  durations: string | null
}
