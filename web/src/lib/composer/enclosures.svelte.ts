// The files of a message that is being written: dropped, pasted or picked, and sent ahead while it is.

import { Refused } from '../api/client'
import { storeFile } from '../api/files'
import type { Attachment } from '../api/shapes.gen'
import { words } from '../words'

/** Those of every session, which stay with its draft while another one is open. */
export class Drawer {
  readonly #drafts = new Map<string | null, Enclosures>()

  /** Null is the session that is not begun yet. */
  of(session: string | null): Enclosures {
    const found = this.#drafts.get(session) ?? new Enclosures()
    this.#drafts.set(session, found)
    return found
  }
}

export class Enclosures {
  #files = $state.raw<readonly Attachment[]>([])
  #uploading = $state(0)
  #error = $state('')

  get files(): readonly Attachment[] {
    return this.#files
  }

  get busy(): boolean {
    return this.#uploading > 0
  }

  get note(): string {
    return this.busy ? words.composer.uploading : this.#error
  }

  /** The files, for the message that goes out now. */
  take(): Attachment[] {
    const files = [...this.#files]
    this.#files = []
    this.#error = ''
    return files
  }

  /** Files that are stored already, of a message that is written anew. */
  put(files: readonly Attachment[]): void {
    this.#files = [...this.#files, ...files]
  }

  /** They go with their message after all. */
  drop(files: readonly Attachment[]): void {
    this.#files = this.#files.filter((file) => !files.includes(file))
  }

  remove(place: number): void {
    this.#files = this.#files.toSpliced(place, 1)
  }

  pick = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement
    void this.#add([...(input.files ?? [])])
    input.value = ''
  }

  paste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void this.#add(files)
  }

  /** Wherever on the page they are dropped: beside its field the browser would open them in the page's place. */
  land = ({ ownerDocument }: HTMLElement): (() => void) => {
    const drop = (event: DragEvent) => void this.#add([...(event.dataTransfer?.files ?? [])])
    ownerDocument.addEventListener('drop', drop)
    return () => ownerDocument.removeEventListener('drop', drop)
  }

  async #add(files: File[]): Promise<void> {
    this.#error = ''
    this.#uploading += files.length
    for (const file of files) {
      try {
        const stored = await storeFile(file)
        this.#files = [...this.#files, stored]
      } catch (error) {
        const why = error instanceof Refused ? error.message : words.api.unanswered
        this.#error = words.composer.notUploaded(file.name, why)
      } finally {
        this.#uploading -= 1
      }
    }
  }
}
