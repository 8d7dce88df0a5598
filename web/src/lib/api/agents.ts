// Agents: which there are, what a new session is given, and having one opened before it is needed.

import { request } from './client'
import type { AgentCheck, AgentList, NewDefaults, Woken } from './shapes.gen'

export function listAgents(): Promise<AgentList> {
  return request('AgentList', '/api/agents')
}

/** Start an agent to see whether it works. */
export function checkAgent(name: string): Promise<AgentCheck> {
  return request('AgentCheck', `/api/agents/${encodeURIComponent(name)}/check`, { method: 'POST' })
}

export function lookAgain(): Promise<AgentList> {
  return request('AgentList', '/api/agents/look', { method: 'POST' })
}

export function chooseDefaults(body: NewDefaults): Promise<AgentList> {
  return request('AgentList', '/api/defaults', { method: 'PUT', body })
}

/** Somebody is about to write: the session's agent may be opened. */
export function wakeSession(id: string): Promise<Woken> {
  return request('Woken', `/api/sessions/${encodeURIComponent(id)}/wake`, { method: 'POST' })
}
