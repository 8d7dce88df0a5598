// Installing the page: offered where the browser offers it, in words where only a person can do it, until it is dismissed.

import { keep, kept } from '../ui/kept'

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

class Install {
  #offer = $state.raw<InstallPrompt | null>(null)
  #dismissed = $state(kept('install.dismissed', false))

  /** Browsers say it once, early: listen from the beginning. */
  watch(): void {
    addEventListener('beforeinstallprompt', (event) => {
      event.preventDefault()
      this.#offer = event as InstallPrompt
    })
    addEventListener('appinstalled', () => (this.#offer = null))
  }

  get way(): 'press' | 'words' | null {
    if (this.#dismissed || matchMedia('(display-mode: standalone)').matches) return null
    return this.#offer !== null ? 'press' : isAppleTouch() ? 'words' : null
  }

  async press(): Promise<void> {
    const offer = this.#offer
    this.#offer = null
    await offer?.prompt()
  }

  dismiss(): void {
    this.#dismissed = true
    keep('install.dismissed', true)
  }
}

/** An iPhone or an iPad, which says that it is a Mac. */
export function isAppleTouch(): boolean {
  return /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
}

export const install = new Install()
