// What is pressed while an input method puts a word together belongs to it, wherever on the page somebody writes: an Enter
// takes the word, and neither sends, names nor answers anything.

/** Safari ends the word before it tells of the key that took it; by its code it is still the input method's. */
const TAKEN = 229

export function watchComposing(): void {
  window.addEventListener(
    'keydown',
    (event) => {
      if (!event.isComposing && event.keyCode !== TAKEN) return
      event.stopImmediatePropagation()
      // A line alone would be sent by the browser itself.
      if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
    },
    { capture: true },
  )
}
