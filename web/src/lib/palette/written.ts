// How keys are called.

import { APPLE } from '../shortcuts'
import { words } from '../words'

/** The keys as they are written on this machine's keyboard: strokes, each of keys that are held together. */
export function written(keys: string, apple = APPLE): string[][] {
  const mod = apple ? 'Cmd' : words.shortcuts.control
  return keys.split(' ').map((stroke) => stroke.replace('Mod', mod).replace('Alt', apple ? 'Option' : 'Alt').split('+'))
}
