import { response, publicOperation, plainResponse, refusal, type OpenApiObject } from './parts.ts';

/** The document itself, and the state of a node. */
export const nodePaths: Record<string, OpenApiObject> = {
  '/api/openapi.json': {
    get: publicOperation('getDocument', 'This document', {
      200: plainResponse('The OpenAPI document.', 'application/json'),
    }),
  },
  '/healthz': {
    get: publicOperation('isAlive', 'Whether the node is running', {
      200: response('The node is running.', 'Health'),
      503: refusal('The embedded PostgreSQL does not respond and is being restarted. Never with DATABASE_URL.'),
    }),
  },
  '/readyz': {
    get: publicOperation('isReady', 'Whether the node can handle requests', {
      200: response('The node is ready.', 'Status'),
      503: refusal('The node is stopping, or its database does not respond or cannot be written.'),
    }),
  },
  '/metrics': {
    get: publicOperation('getMetrics', 'Metrics for Prometheus', {
      200: plainResponse('Metrics in the text format of Prometheus.', 'text/plain'),
    }),
  },
};
