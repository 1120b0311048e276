import { answer, open, plain, refusal, type Json } from './parts.ts';

/** The document itself, and the state of a node. */
export const nodePaths: Record<string, Json> = {
  '/api/openapi.json': {
    get: open('getDocument', 'This document', { 200: plain('The document.', 'application/json') }),
  },
  '/healthz': {
    get: open('isAlive', 'Whether the node runs', {
      200: answer('It does.', 'Status'),
      503: refusal('Its own PostgreSQL does not answer, and is being started again. Not with DATABASE_URL.'),
    }),
  },
  '/readyz': {
    get: open('isReady', 'Whether the node can answer', {
      200: answer('It can.', 'Status'),
      503: refusal('It is stopping, or its database does not answer or cannot be written.'),
    }),
  },
  '/metrics': { get: open('getMetrics', 'What Prometheus collects', { 200: plain('Its text format.', 'text/plain') }) },
};
