// Ask the server whether it is there. Never throws: no answer is an answer.

import { base } from './base'

const PATIENCE_MS = 5_000

export async function serverAnswers(): Promise<boolean> {
  try {
    const response = await fetch(`${base}/health`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return response.ok
  } catch {
    return false
  }
}
