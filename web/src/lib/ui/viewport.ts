// On a phone the keyboard covers the page; what is left of it is told to the style sheet.

export function followViewport(): () => void {
  const view = visualViewport
  if (view === null) return () => undefined
  const tell = () => {
    document.documentElement.style.setProperty('--view-height', `${view.height}px`)
    if (view.offsetTop > 0) scrollTo(0, 0)
  }
  // Zoomed in, the person moves the view himself.
  const change = () => view.scale === 1 && tell()
  view.addEventListener('resize', change)
  view.addEventListener('scroll', change)
  tell()
  return () => {
    view.removeEventListener('resize', change)
    view.removeEventListener('scroll', change)
  }
}
