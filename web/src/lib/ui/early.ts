// What is typed for a field that has been called for, but is still being fetched: it waits, and is typed when the field
// is there. Without it the words would go into whatever has the focus, and Enter would send them.

let waiting: KeyboardEvent[] = []

/** Keep every key until told otherwise. Strokes with a modifier are nobody's text: they do what they always do. */
export function wait(): () => void {
  const own: KeyboardEvent[] = (waiting = [])
  const keep = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    own.push(event)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  window.addEventListener('keydown', keep, { capture: true })
  return () => window.removeEventListener('keydown', keep, { capture: true })
}

/** Type into this field what waited for it. */
export function typed(field: HTMLInputElement | HTMLTextAreaElement): void {
  const keys = waiting
  waiting = []
  for (const { key, shiftKey } of keys) {
    const heard = new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true })
    if (field.dispatchEvent(heard)) write(field, key)
  }
}

function write(field: HTMLInputElement | HTMLTextAreaElement, key: string): void {
  const end = field.value.length
  if ([...key].length === 1) field.setRangeText(key, end, end, 'end')
  else if (key === 'Backspace') field.setRangeText('', Math.max(0, end - 1), end, 'end')
  else if (key === 'Escape') return field.closest('dialog')?.close() // which a browser does by itself for a real key
  else return
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
