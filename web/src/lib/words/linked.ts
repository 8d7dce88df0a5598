/** A sentence that holds a link, written as `before [the link] after`, so that every language puts it where it belongs. */
export function linked(sentence: string): [before: string, link: string, after: string] {
  const [, before = sentence, link = '', after = ''] = /^(.*)\[(.*)\](.*)$/s.exec(sentence) ?? []
  return [before, link, after]
}
