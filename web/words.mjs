// Every word of every language, as JSON: {language: {path: words}}. The gaps of a sentence are given as ¤.

import { runnerImport } from 'vite'

const GAP = '¤'

const options = { root: import.meta.dirname, configFile: false, logLevel: 'error' }
const load = (name) => runnerImport(`${import.meta.dirname}/src/lib/words/${name}.ts`, options)
const spoken = {}
for (const language of Object.keys((await load('languages')).module.LANGUAGES)) {
  const { module } = await load(language)
  spoken[language] = Object.fromEntries(said(module[language]))
}
console.log(JSON.stringify(spoken))

function said(part, path = '') {
  return Object.entries(part).flatMap(([name, value]) => {
    const here = path === '' ? name : `${path}.${name}`
    if (typeof value === 'string') return [[here, value]]
    // What is counted becomes no number.
    if (typeof value === 'function') return [[here, value(...Array(value.length).fill(GAP)).replaceAll('NaN', GAP)]]
    return said(value, here)
  })
}
