import { describe, expect, it } from 'vitest'
import { colour, known } from './languages'

describe('the languages of code', () => {
  it('are known by what people call them', () => {
    expect(['py', 'TS', 'html', 'toml', 'sh', 'python', 'klingon', ''].map(known)).toEqual([
      'python',
      'typescript',
      'xml',
      'ini',
      'bash',
      'python',
      '',
      '',
    ])
  })

  it('are coloured, with those that they hold', async () => {
    expect(await colour('def f(): pass', 'py')).toContain('hljs-keyword')
    expect(await colour('<script>const a = 1</script>', 'html')).toContain('language-javascript')
    expect(await colour('$ echo "$HOME"', 'console')).toContain('language-bash')
    expect(await colour('words', 'klingon')).toBeNull()
  })
})
