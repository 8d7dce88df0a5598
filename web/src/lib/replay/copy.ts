// A session that goes on apart from the one it was copied from: the reducer changes a session in place.

import type { Item, Session, Turn } from '../session/state'

/**
 * What the reducer may still change in either is there twice. `before` is an earlier copy of the same session: its items
 * serve again where nothing has touched them since, so that many copies of a long turn cost little.
 */
export function copyOf(session: Session, before?: Session): Session {
  const waits = new Set([...session.asks].map(([, { turn, k }]) => `${turn}:${k}`))
  const turns = [...session.turns].map(([id, turn]) => {
    const earlier = before?.turns.get(id)?.items
    const items = [...turn.items].map(([k, item]) => {
      const changed = session.touched.has(item) || waits.has(`${id}:${k}`)
      return [k, (changed ? undefined : earlier?.get(k)) ?? copyItem(item)] as const
    })
    return [id, copyTurn(turn, new Map(items))] as const
  })
  return {
    ...session,
    turns: new Map(turns),
    queue: [...session.queue],
    asks: new Map(session.asks),
    recovering: new Map(session.recovering),
    usage: { ...session.usage },
    touched: new Set(),
  }
}

function copyTurn(turn: Turn, items: Map<number, Item>): Turn {
  return {
    ...turn,
    items,
    tails: new Map(turn.tails),
    calls: new Map(turn.calls),
    steers: new Map([...turn.steers].map(([id, steer]) => [id, { ...steer }])),
    permitted: new Map(turn.permitted),
    usage: { ...turn.usage },
  }
}

function copyItem(item: Item): Item {
  return item.type === 'end' ? { ...item, usage: { ...item.usage } } : { ...item }
}
