// An import that goes on on the server: asked after until it is over.

import { listImports, readImport } from '../api/transfer'
import type { Report } from '../api/shapes.gen'
import { Unreached } from '../api/client'
import { words } from '../words'

const PAUSE_MS = 400

export class Importing {
  #report = $state.raw<Report | null>(null)

  get report(): Report | null {
    return this.#report
  }

  get runs(): boolean {
    return this.#report?.state === 'running'
  }

  /** The newest that there was, whoever began it: the page may have been loaded anew meanwhile. */
  async resume(): Promise<void> {
    const [newest] = await listImports()
    if (newest !== undefined) await this.follow(await readImport(newest.id))
  }

  /** Returns when it is over. A server that is away for a while is asked again. */
  async follow(begun: Report): Promise<void> {
    this.#report = begun
    while (this.#report.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      try {
        this.#report = await readImport(begun.id)
      } catch (error) {
        if (!(error instanceof Unreached)) throw error
      }
    }
  }
}

/** How it went, in a few sentences. */
export function outcome({ state, error, found, known, taken, settings }: Report): string {
  const texts = words.settings.moving
  if (state === 'failed') return texts.failed(error || texts.failedSomehow)
  const messages = taken.reduce((sum, each) => sum + each.messages, 0)
  const parts = [
    taken.length > 0 || known === 0 ? texts.taken(taken.length, messages) : '',
    known === 0 ? '' : known === found ? texts.allKnown(found) : texts.known(known, found),
    settings.length > 0 ? texts.settings(settings.join(', ')) : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}
