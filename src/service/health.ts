import type { Service } from './context.ts';
import { json, Refusal, unavailable } from './http/problems.ts';
import type { Route } from './http/routes.ts';
import { openStoreState, storeStateOf } from './artifacts/state.ts';

/** Milliseconds for the database to respond. */
const DATABASE_TIMEOUT = 2_000;

/** For health probes and Prometheus: about the node, never about a tenant. */
export function healthRoutes({ artifacts, database, metrics, stopping, settings }: Service): Route[] {
  const { roles } = settings;
  const storeFigures = openStoreState(artifacts);
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'anyone',
      async handle(c) {
        // A slow response of the database does not require a restart of the node.
        const [fault, store] = await Promise.all([
          database.checkWithin(DATABASE_TIMEOUT, database.fault()),
          storeStateOf(artifacts, storeFigures),
        ]);
        // A server is not part of this process: a restart of the node would not repair it.
        if (settings.databaseUrl === null && fault === 'unreachable') throw unavailable(fault);
        return json(c, { status: 'ok', roles, database: fault ?? 'available', artifacts: store });
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'anyone',
      async handle(c) {
        if (stopping.aborted) throw new Refusal('unavailable', 'The node is shutting down.');
        const fault = await database.checkWithin(DATABASE_TIMEOUT, 'unreachable');
        if (fault !== null) throw unavailable(fault);
        return json(c, { status: 'ready', roles, database: 'available' });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'anyone',
      async handle(c) {
        return c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType });
      },
    },
  ];
}
