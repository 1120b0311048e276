import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../context.ts';
import { isReachable } from '../storage/database.ts';
import { json, Refusal } from '../http/problems.ts';
import type { Route } from '../http/routes.ts';

/** Milliseconds for the database to respond. */
const DATABASE_TIMEOUT = 2_000;

/** For health probes and Prometheus: about the node, never about a tenant. */
export function healthRoutes({ db, metrics, stopping, settings }: Service): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'anyone',
      answer: (c) => json(c, { status: 'ok', roles: settings.roles }),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'anyone',
      async answer(c) {
        if (stopping.aborted) throw new Refusal('unavailable', 'The node is shutting down.');
        if (await within(DATABASE_TIMEOUT, isReachable(db))) return json(c, { status: 'ready', roles: settings.roles });
        throw new Refusal('unavailable', 'The database does not respond.', {}, { 'retry-after': '5' });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'anyone',
      async answer(c) {
        return c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType });
      },
    },
  ];
}

/** The result, or false if it takes longer. */
async function within(milliseconds: number, result: Promise<boolean>): Promise<boolean> {
  const deadline = new AbortController();
  const late = sleep(milliseconds, false, { signal: deadline.signal }).catch(() => false);
  return Promise.race([result, late]).finally(() => deadline.abort());
}
