import { sql } from 'kysely';
import type { Service } from '../context.ts';
import { json, Refusal } from '../http/problems.ts';
import type { Route } from '../http/routes.ts';

/** Milliseconds for the database to respond. */
const PATIENCE = 2_000;

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
        if (stopping.aborted) throw new Refusal('unavailable', 'The node is stopping.');
        const asked = sql`select 1`.execute(db).then(
          () => true,
          () => false,
        );
        if (await within(PATIENCE, asked)) return json(c, { status: 'ready', roles: settings.roles });
        throw new Refusal('unavailable', 'The database does not answer.', {}, { 'retry-after': '5' });
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

async function within(milliseconds: number, asked: Promise<boolean>): Promise<boolean> {
  const timer: { id?: NodeJS.Timeout } = {};
  const late = new Promise<boolean>((done) => {
    timer.id = setTimeout(() => done(false), milliseconds);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer.id));
}
