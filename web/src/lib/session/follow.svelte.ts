// Follow the newest words only while the reader is there: any upward gesture or a selection lets go.

const NEAR_PX = 4

export class Follow {
  #following = $state(true)
  #node: HTMLElement | null = null
  #top = 0

  get following(): boolean {
    return this.#following
  }

  /** Go to the newest and stay there. */
  resume(): void {
    this.#following = true
    this.#stick()
  }

  /** For the element that scrolls; its first child is what grows. */
  attach = (node: HTMLElement): (() => void) => {
    this.#node = node
    const grown = new ResizeObserver(() => this.#stick())
    grown.observe(node)
    if (node.firstElementChild !== null) grown.observe(node.firstElementChild)
    let finger = 0
    const listen: [EventTarget, string, (event: Event) => void][] = [
      [node, 'wheel', (event) => (event as WheelEvent).deltaY < 0 && this.release()],
      [node, 'touchstart', (event) => (finger = (event as TouchEvent).touches[0]?.clientY ?? 0)],
      [node, 'touchmove', (event) => ((event as TouchEvent).touches[0]?.clientY ?? 0) > finger + 2 && this.release()],
      [node, 'keydown', (event) => UPWARD.has((event as KeyboardEvent).key) && this.release()],
      [node, 'scroll', () => this.#scrolled()],
      [document, 'selectionchange', () => this.#selected() && this.release()],
    ]
    for (const [target, name, act] of listen) target.addEventListener(name, act, { passive: true })
    this.#stick()
    return () => {
      grown.disconnect()
      for (const [target, name, act] of listen) target.removeEventListener(name, act)
      this.#node = null
    }
  }

  /** Stay where the reader is; where all is in sight there is nowhere to go. */
  release(): void {
    if (this.#node !== null && this.#node.scrollHeight > this.#node.clientHeight) this.#following = false
  }

  #scrolled(): void {
    const node = this.#node
    if (node === null) return
    const atEnd = node.scrollHeight - node.clientHeight - node.scrollTop <= NEAR_PX
    if (atEnd && node.scrollTop >= this.#top && !this.#selected()) this.#following = true
    // A scroll bar that is pulled up; what shrinks leaves the reader at the end.
    if (!atEnd && node.scrollTop < this.#top - NEAR_PX) this.#following = false
    this.#top = node.scrollTop
  }

  #selected(): boolean {
    const selection = document.getSelection()
    const within = selection?.anchorNode ?? null
    return selection !== null && !selection.isCollapsed && this.#node?.contains(within) === true
  }

  #stick(): void {
    const node = this.#node
    if (node === null || !this.#following) return
    node.scrollTop = node.scrollHeight
    this.#top = node.scrollTop
  }
}

const UPWARD = new Set(['ArrowUp', 'PageUp', 'Home'])
