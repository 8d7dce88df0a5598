// The page around the settings, for the sections that need it.

import { createContext } from 'svelte'
import type { Workspace } from '../workspace.svelte'

export const [getWorkspace, setWorkspace] = createContext<Workspace>()
