// The one live connection: a stream for as long as it holds, questions when it does not, and back to the stream.
//
// It follows from cursors, so whatever ends it costs nothing: the next one goes on where the last one stopped. A
// connection that shows signs of life is never reopened; one that shows none for a minute is.

import { Cursors } from './cursors'
import type { Heard, Reach } from './messages'
import { poll } from './poll'
import { Frames } from './sse'
import type { Stopwatch } from '../ui/stopwatch'

export interface Wanted {
  token: string
  lineage: string
  list: number
  follows: Map<string, number>
  /** Somebody looks at a tab, and need not be notified in other ways. */
  visible: boolean
}

export interface World {
  fetch: typeof fetch
  /** Begins to count the milliseconds from now on. */
  stopwatch: () => Stopwatch
}

export interface Audience {
  heard(heard: Heard[]): void
  reach(reach: Reach): void
  lineage(lineage: string): void
}

const FIRST_BYTES_MS = 2_000
const SILENCE_MS = 60_000
/** The server shows a sign of life every five seconds; whoever asks after a silence longer than this doubts it. */
const DOUBT_MS = 8_000
/** A server that is started again is there within a few seconds; only then does waiting grow long. */
const PAUSES_MS = [150, 250, 400, 400, 400, 400, 400, 400, 600, 1_000, 1_500, 2_000]
const PATIENT_PAUSE_MS = 10_000

export class Connection {
  readonly #world: World
  readonly #audience: Audience
  #wanted: Wanted | null = null
  #cursors = new Cursors(0, new Map())
  /** How long nothing has been heard. */
  #silence: Stopwatch = () => Infinity
  #failures = 0
  #reach: Reach = 'asking'
  #running = false
  #atOnce = false
  #attempt: AbortController | null = null
  #polling: AbortController | null = null
  #wake: (() => void) | null = null

  constructor(world: World, audience: Audience) {
    this.#world = world
    this.#audience = audience
  }

  get reach(): Reach {
    return this.#reach
  }

  get cursors(): Cursors {
    return this.#cursors
  }

  /** Follow this from now on; null ends everything. */
  want(wanted: Wanted | null): void {
    this.#wanted = wanted
    if (wanted !== null) this.#cursors = new Cursors(wanted.list, wanted.follows)
    if (this.#reach === 'refused') this.#tell('asking') // that was another credential
    this.#stopPolling()
    this.#reopen()
    if (wanted !== null && !this.#running) void this.#run()
  }

  /** Somebody looks: is it still alive? Costs nothing if it is. */
  probe(): void {
    if (this.#reach !== 'live' || this.#silence() > DOUBT_MS) this.#reopen()
  }

  /** To be called now and then: a connection that has been silent for a minute is replaced. */
  watch(): void {
    if (this.#attempt !== null && this.#silence() > SILENCE_MS) this.#reopen()
  }

  #reopen(): void {
    this.#failures = 0
    this.#atOnce = true
    this.#attempt?.abort()
    this.#wake?.()
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#wanted !== null) {
      const wanted = this.#wanted
      this.#atOnce = false
      await this.#stream(wanted)
      if (this.#atOnce) continue // it was ended to be opened anew
      if (this.#reach === 'refused') break
      await this.#pause(wanted)
    }
    this.#running = false
  }

  /** One stream, from its opening to its end. */
  async #stream(wanted: Wanted): Promise<void> {
    const attempt = (this.#attempt = new AbortController())
    const late = setTimeout(() => attempt.abort(), FIRST_BYTES_MS)
    this.#silence = this.#world.stopwatch()
    try {
      const response = await this.#world.fetch(address(wanted, this.#cursors), {
        headers: { authorization: `Bearer ${wanted.token}` },
        cache: 'no-store',
        signal: attempt.signal,
      })
      if (response.status === 401 && wanted.token === this.#wanted?.token) this.#tell('refused')
      if (!response.ok || response.body === null) return
      await this.#read(response.body, wanted, () => clearTimeout(late))
    } catch {
      // Whatever ended it: the next one goes on from the cursors.
    } finally {
      clearTimeout(late)
      this.#attempt = null
    }
  }

  async #read(body: ReadableStream<Uint8Array>, wanted: Wanted, begun: () => void): Promise<void> {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const frames = new Frames()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || this.#wanted !== wanted) return
      begun()
      this.#silence = this.#world.stopwatch()
      const heard: Heard[] = []
      for (const frame of frames.take(decoder.decode(value, { stream: true }))) {
        if (frame.event === 'ready') this.#ready(frame.data)
        const said = frame.event === 'record' ? this.#record(frame.id, frame.data) : this.#cursors.hear(frame)
        if (said !== null) heard.push(said)
      }
      if (heard.length > 0) this.#audience.heard(heard)
    }
  }

  #record(id: string, data: string): Heard | null {
    return this.#cursors.record(id.slice(0, id.indexOf(':')), JSON.parse(data))
  }

  #ready(data: string): void {
    this.#failures = 0
    this.#stopPolling()
    this.#audience.lineage(String((JSON.parse(data) as { lineage?: unknown }).lineage))
    this.#tell('live')
  }

  async #pause(wanted: Wanted): Promise<void> {
    this.#failures += 1
    if (this.#polling === null) this.#poll(wanted)
    const patient = this.#reach === 'polling' && this.#failures > PAUSES_MS.length
    const pause = patient ? PATIENT_PAUSE_MS : (PAUSES_MS[this.#failures - 1] ?? PAUSES_MS.at(-1))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }

  #poll(wanted: Wanted): void {
    const polling = (this.#polling = new AbortController())
    poll(this.#world.fetch, wanted, this.#cursors, polling.signal, {
      heard: (heard) => this.#audience.heard(heard),
      reach: (reach) => this.#tell(reach),
      lineage: () => undefined,
    })
  }

  #stopPolling(): void {
    this.#polling?.abort()
    this.#polling = null
  }

  #tell(reach: Reach): void {
    if (reach === this.#reach) return
    this.#reach = reach
    this.#audience.reach(reach)
  }
}

function address(wanted: Wanted, cursors: Cursors): string {
  const query = new URLSearchParams({ list: String(cursors.list) })
  if (wanted.lineage !== '') query.set('lineage', wanted.lineage)
  if (wanted.visible) query.set('visible', 'true')
  for (const [session, after] of cursors.follows) query.append('follow', `${session}:${after}`)
  return `/api/stream?${query}`
}
