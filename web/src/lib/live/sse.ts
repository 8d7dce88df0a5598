// Server-sent events out of a stream of text, however it was cut into pieces.

export interface Frame {
  id: string
  event: string
  data: string
}

export class Frames {
  #rest = ''

  /** The frames that are complete now. Comments give none. */
  take(piece: string): Frame[] {
    const parts = (this.#rest + piece).split('\n\n')
    this.#rest = parts.pop() ?? ''
    return parts.map(parse).filter((frame) => frame.event !== '')
  }
}

function parse(text: string): Frame {
  const frame = { id: '', event: '', data: '' }
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) frame.event = line.slice(7)
    else if (line.startsWith('id: ')) frame.id = line.slice(4)
    else if (line.startsWith('data: ')) frame.data += line.slice(6)
  }
  return frame
}
