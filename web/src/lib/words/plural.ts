// How many, in the words of a language: which form a number takes is for the language to say.

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Make the way a language counts: `count(3, { one: '# step', other: '# steps' })`, with the number in place of `#`. */
export function plurals(language: string): (number: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  const digits = new Intl.NumberFormat(language)
  return (number, forms) => (forms[rules.select(number)] ?? forms.other).replaceAll('#', digits.format(number))
}

/** Make the way a language writes a number. */
export function figures(language: string): (number: number) => string {
  const digits = new Intl.NumberFormat(language)
  return (number) => digits.format(number)
}
