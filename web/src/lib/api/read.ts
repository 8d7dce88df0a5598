// Check what came over the wire, once, at the border; inside it is trusted.
//
// The shapes are generated from the server's own description. A value that fits comes back whole: fields that were left
// out because they have their default are there, fields that we do not know are not, and what is keyed by names is a
// Map, because a name may be any text, `__proto__` included.

export type Shape =
  | string // s text, i whole number, n number, b boolean, 0 null, * anything, @Name another shape
  | { readonly e: readonly unknown[] } // one of these
  | { readonly a: Shape } // a list
  | { readonly m: Shape } // by name
  | { readonly t: readonly Shape[] } // a tuple
  | { readonly o: readonly Shape[] } // any of these
  | { readonly k: string; readonly o: Readonly<Record<string, string>> } // told apart by a tag

/** A field that must be there, one with a default, or (a list of one) one that may be missing. */
export type Field = Shape | readonly [Shape] | readonly [Shape, unknown]
export type Shapes = Readonly<Record<string, Readonly<Record<string, Field>>>>

/** Something came that the server never sends. */
export class Unreadable extends Error {}

type Fields = Record<string, unknown>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export class Reader<T> {
  readonly #shapes: Shapes

  constructor(shapes: Shapes) {
    this.#shapes = shapes
  }

  /** The value, whole. Throws `Unreadable`. */
  read<N extends keyof T & string>(name: N, value: unknown): T[N] {
    return this.#object(name, value) as T[N] // the shape and the type come from one description
  }

  #object(name: string, value: unknown): Fields {
    const shape = this.#shapes[name]
    if (shape === undefined || !isObject(value)) throw new Unreadable(`This is no ${name}.`)
    const whole: Fields = {}
    for (const key in shape) {
      const field = shape[key] as Field
      const found = Object.hasOwn(value, key) ? value[key] : undefined
      if (found !== undefined) {
        whole[key] = this.#value(isOptional(field) ? field[0] : field, found)
      } else if (!isOptional(field)) {
        throw new Unreadable(`A ${name} has no ${key}.`)
      } else if (field.length === 2) {
        whole[key] = this.#value(field[0], field[1])
      }
    }
    return whole
  }

  #value(shape: Shape, value: unknown): unknown {
    if (typeof shape === 'string') return this.#plain(shape, value)
    if ('e' in shape) return ensure(shape.e.includes(value), value)
    if ('a' in shape) return list(value).map((each) => this.#value(shape.a, each))
    if ('t' in shape) return list(value).map((each, i) => this.#value(shape.t[i] ?? '0', each))
    if ('m' in shape) return this.#map(shape.m, value)
    if ('k' in shape) return this.#tagged(shape.k, shape.o, value)
    return this.#anyOf(shape.o, value)
  }

  #plain(shape: string, value: unknown): unknown {
    switch (shape) {
      case 's':
        return ensure(typeof value === 'string', value)
      case 'i':
        return ensure(Number.isInteger(value), value)
      case 'n':
        return ensure(typeof value === 'number', value)
      case 'b':
        return ensure(typeof value === 'boolean', value)
      case '0':
        return ensure(value === null, value)
      case '*':
        return value
      default:
        return this.#object(shape.slice(1), value)
    }
  }

  #map(shape: Shape, value: unknown): Map<string, unknown> {
    ensure(isObject(value), value)
    return new Map(Object.entries(value as Fields).map(([key, each]) => [key, this.#value(shape, each)]))
  }

  #tagged(tag: string, options: Readonly<Record<string, string>>, value: unknown): unknown {
    const said = isObject(value) ? value[tag] : undefined
    ensure(typeof said === 'string' && Object.hasOwn(options, said), value)
    return this.#object(options[said as string] as string, value)
  }

  #anyOf(options: readonly Shape[], value: unknown): unknown {
    if (value === null && options.includes('0')) return null // so common that no other is tried: a refusal is dear
    for (const option of options) {
      try {
        return this.#value(option, value)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
      }
    }
    return ensure(false, value)
  }
}

function isOptional(field: Field): field is readonly [Shape] | readonly [Shape, unknown] {
  return Array.isArray(field)
}

function list(value: unknown): unknown[] {
  ensure(Array.isArray(value), value)
  return value as unknown[]
}

function ensure(fits: boolean, value: unknown): unknown {
  if (!fits) throw new Unreadable('A value is not of its shape.')
  return value
}
