// Which part of the list is shown: the sessions of one project, those with all of some tags. This browser remembers it.

import type { SessionRow } from '../api/shapes.gen'
import { keep, kept } from '../ui/kept'

export interface Filed {
  /** Empty for any. */
  readonly project: string
  readonly tags: readonly string[]
}

const NONE: Filed = { project: '', tags: [] }

export class Filter {
  #filed = $state.raw<Filed>(kept('filter', NONE))

  get filed(): Filed {
    return this.#filed
  }

  get on(): boolean {
    return isOn(this.#filed)
  }

  set(filed: Filed): void {
    this.#filed = isOn(filed) ? filed : NONE
    keep('filter', isOn(filed) ? filed : null)
  }

  fits({ project, tags }: Pick<SessionRow, 'project' | 'tags'>): boolean {
    const wanted = this.#filed
    return (wanted.project === '' || wanted.project === project) && wanted.tags.every((tag) => tags.includes(tag))
  }

  /** What a row is filed under, beyond what all rows here are. */
  beyond({ project, tags }: Pick<SessionRow, 'project' | 'tags'>): string[] {
    const wanted = this.#filed
    const others = tags.filter((tag) => !wanted.tags.includes(tag)).map((tag) => `#${tag}`)
    return [project === wanted.project ? '' : project, ...others].filter(Boolean)
  }
}

function isOn({ project, tags }: Filed): boolean {
  return project !== '' || tags.length > 0
}
