// Whether something has stood still long enough to be meant: what has just appeared or moved under a finger was not.

const STEADY_MS = 500
const SAMPLE_MS = 100
const TOLERANCE_PX = 2

export class Steady {
  readonly #place: () => { x: number; y: number }
  readonly #now: () => number
  #last: { x: number; y: number }
  #since: number

  constructor(place: () => { x: number; y: number }, now: () => number) {
    this.#place = place
    this.#now = now
    this.#last = place()
    this.#since = now()
  }

  /** Look where it is now. */
  sample(): void {
    const { x, y } = this.#place()
    if (Math.abs(x - this.#last.x) <= TOLERANCE_PX && Math.abs(y - this.#last.y) <= TOLERANCE_PX) return
    this.#last = { x, y }
    this.#since = this.#now()
  }

  /** True if what is pressed now has stood where it is for half a second. */
  get meant(): boolean {
    this.sample()
    return this.#now() - this.#since >= STEADY_MS
  }
}

/** Watch an element for as long as it is there. */
export function watchSteady(node: HTMLElement): { steady: Steady; end: () => void } {
  const place = () => {
    const { left, top } = node.getBoundingClientRect()
    return { x: left, y: top }
  }
  const steady = new Steady(place, () => performance.now())
  const timer = setInterval(() => steady.sample(), SAMPLE_MS)
  return { steady, end: () => clearInterval(timer) }
}
