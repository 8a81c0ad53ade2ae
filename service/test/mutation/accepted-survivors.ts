/** A mutant that no test can or need notice. */
export interface AcceptedSurvivor {
  file: string
  /** The line of the source without its indentation. */
  code: string
  change: string
  reason: string
}

export const acceptedSurvivors: readonly AcceptedSurvivor[] = []
