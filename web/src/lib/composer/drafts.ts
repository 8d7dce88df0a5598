// What was written and not sent, one draft for each session, kept in this browser.

import { keep, kept } from '../ui/kept'

export function draftOf(session: string | null): string {
  return kept(`draft.${session ?? 'new'}`, '')
}

export function keepDraft(session: string | null, text: string): void {
  keep(`draft.${session ?? 'new'}`, text)
}
