// Whether the server can be reached: asked again and again for as long as somebody watches.

export type Reach = 'asking' | 'reached' | 'lost'

const PAUSE_MS = 2_000

export class Connection {
  #reach = $state<Reach>('asking')
  readonly #ask: () => Promise<boolean>

  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask
  }

  get reach(): Reach {
    return this.#reach
  }

  /** Ask now and after every pause. Returns what ends it; after that nothing changes any more. */
  watch(): () => void {
    let watched = true
    let pause: ReturnType<typeof setTimeout> | undefined
    const askAgain = async () => {
      const answered = await this.#ask()
      if (!watched) return
      this.#reach = answered ? 'reached' : 'lost'
      pause = setTimeout(askAgain, PAUSE_MS)
    }
    void askAgain()
    return () => {
      watched = false
      clearTimeout(pause)
    }
  }
}
