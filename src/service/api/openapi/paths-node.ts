import { response, publicOperation, plainResponse, refusal, type OpenApiObject } from './parts.ts';

/** The document itself, and the state of a node. */
export const nodePaths: Record<string, OpenApiObject> = {
  '/api/openapi.json': {
    get: publicOperation('getDocument', 'This document', { 200: plainResponse('The document.', 'application/json') }),
  },
  '/healthz': {
    get: publicOperation('isAlive', 'Whether the node runs', {
      200: response('It does.', 'Status'),
      503: refusal('Its own PostgreSQL does not answer, and is being started again. Not with DATABASE_URL.'),
    }),
  },
  '/readyz': {
    get: publicOperation('isReady', 'Whether the node can answer', {
      200: response('It can.', 'Status'),
      503: refusal('It is stopping, or its database does not answer or cannot be written.'),
    }),
  },
  '/metrics': {
    get: publicOperation('getMetrics', 'What Prometheus collects', {
      200: plainResponse('Its text format.', 'text/plain'),
    }),
  },
};
