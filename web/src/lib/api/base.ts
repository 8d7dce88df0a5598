// The path under which the page is mounted, empty for none. Its own scripts lie below it, in a tab as in a worker.

export const base = /^(.*)\/assets\/[^/]+$/.exec(new URL(import.meta.url).pathname)?.[1] ?? ''
