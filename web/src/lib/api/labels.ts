// The projects and tags that there are. Read by what is loaded when it is first opened.

import { parsed, send } from './client'
import { Reader } from './read'
import type { LabelList } from './shapes.gen'
import { LATER_SHAPES } from './shapes.later.gen'

const reader = new Reader<{ LabelList: LabelList }>(LATER_SHAPES)

export async function readLabels(): Promise<LabelList> {
  return reader.read('LabelList', await parsed(await send('/api/labels', {})))
}
