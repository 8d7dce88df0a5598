// What is allowed for good.

import { request, send } from './client'
import type { ApprovalRules } from './shapes.gen'

export function listRules(): Promise<ApprovalRules> {
  return request('ApprovalRules', '/api/approval-rules')
}

/** Ask again from now on. */
export async function revokeRule(id: string): Promise<void> {
  await send(`/api/approval-rules/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
