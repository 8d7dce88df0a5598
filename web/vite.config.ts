import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Whatever path the server is mounted under: what the page loads lies beside what loads it.
  base: './',
  plugins: [svelte({ configFile: false })],
  worker: { format: 'es' },
  build: {
    // Older browsers would need more code; these are all from 2023 or later.
    target: ['chrome115', 'firefox115', 'safari17'],
    // The content security policy admits no inline resource, so nothing may be turned into one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'diagram.html', 'src/sw.ts'],
      // A service worker keeps its address, and it rules over what lies below it.
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // All that the page needs before anybody asks for more is one file, and not one for each of its shared parts.
        codeSplitting: { groups: [{ name: 'page', test: /src[\\/](App\.svelte|lib[\\/](ui[\\/]size|push[\\/]install)\.svelte\.ts)$/ }] },
      },
    },
  },
  server: {
    // `npm run dev` shows the page against a running server.
    proxy: { '/health': 'http://127.0.0.1:8787', '/api': 'http://127.0.0.1:8787' },
  },
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/lib/words/speak.setup.ts'],
    // Otherwise the tests would read every style sheet as empty.
    css: true,
  },
})
