// Whether this browser lets us notify anybody. Two things ask it, and either's answer holds for both.

export type Standing = 'missing' | 'default' | 'granted' | 'denied'

class Leave {
  #standing = $state<Standing>(
    typeof Notification === 'undefined' || !globalThis.isSecureContext ? 'missing' : Notification.permission,
  )

  get standing(): Standing {
    return this.#standing
  }

  /** Only from a press of a button: a browser asks its person once. */
  async ask(): Promise<Standing> {
    return (this.#standing = await Notification.requestPermission())
  }
}

export const leave = new Leave()
