// Generated from docs/openapi.json by web/describe.py. Do not edit.

import type { Shapes } from './read'

export const LATER_SHAPES = {
  About: {"version":"s","store_format":"i","home":"s","licence":"s"},
  DailyFigures: {"day":"i","agent":"s","model":"s","figures":"@Figures"},
  DiskUse: {"store":"i","blobs":"i","logs":"i","spools":"i","free":"i"},
  Examination: {"findings":{"a":"@Finding"}},
  Figures: {"turns":["i",0],"failures":["i",0],"approvals":["i",0],"run_ms":["i",0],"input":["i",0],"output":["i",0],"cached":["i",0],"reasoning":["i",0],"cost":["i",0]},
  Finding: {"fine":"b","sentence":"s"},
  Found: {"turn":"s","k":"i","number":"i","page":"i","count":["i",1]},
  FoundInSession: {"found":{"a":"@Found"},"cursor":[{"o":["s","0"]},null]},
  Insights: {"first":"i","today":"i","days":{"a":"@DailyFigures"},"sessions":{"a":"@SessionSize"},"disk":"@DiskUse","health":"@Wellbeing"},
  Label: {"name":"s","sessions":"i"},
  LabelList: {"projects":{"a":"@Label"},"tags":{"a":"@Label"}},
  Lateness: {"last":"n","worst":"n"},
  LooseFiles: {"files":"i","bytes":"i"},
  Lying: {"sessions":{"a":"@SessionSize"},"more":"b"},
  Purged: {"sessions":{"a":"s"}},
  SessionSize: {"session":"s","title":"s","bytes":"i","deleted":"b"},
  Starter: {"kind":{"e":["history","look","readme","tasks","tests"]},"name":["s",""]},
  Starters: {"starters":{"a":"@Starter"}},
  Storage: {"disk":"@DiskUse","deleted":"@Lying","archived":"@Lying","loose":"@LooseFiles"},
  TurnOutline: {"first":"i","said":"@WireRecord","epoch":"i","times":{"a":"i"},"decisive":{"a":"@WireRecord"},"failures":{"a":"i"},"whole":"b"},
  Wellbeing: {"uptime":"n","runners":"i","running":"i","waiting":"i","watched":"i","writable":"b","store_error":"s","lateness":"@Lateness"},
} as const satisfies Shapes
