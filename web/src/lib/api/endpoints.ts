// Where the built-in agent finds its models. A key goes in and never comes out.

import { request } from './client'
import type { EndpointList, EndpointTrial, EndpointTried, NewEndpoint } from './shapes.gen'

export function listEndpoints(): Promise<EndpointList> {
  return request('EndpointList', '/api/endpoints')
}

export function saveEndpoint(name: string, body: NewEndpoint): Promise<EndpointList> {
  return request('EndpointList', `/api/endpoints/${encodeURIComponent(name)}`, { method: 'PUT', body })
}

export function removeEndpoint(name: string): Promise<EndpointList> {
  return request('EndpointList', `/api/endpoints/${encodeURIComponent(name)}`, { method: 'DELETE' })
}

/** List the models that an address serves. */
export function tryEndpoint(body: EndpointTrial): Promise<EndpointTried> {
  return request('EndpointTried', '/api/endpoints/try', { method: 'POST', body })
}
