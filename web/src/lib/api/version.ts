// The version of the server that sent this page. Empty when the page comes from Vite instead.

export function serverVersion(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="holdfast-version"]')?.content ?? ''
}
