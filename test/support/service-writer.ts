import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** A client that changes data through the API while the database fails now and then. */

export interface Writer {
  /** Organizations that the service has confirmed: the names of organizations by id. */
  confirmed: Map<string, string>;
  /** The number of responses by status. */
  statuses: Map<number, number>;
  /** Ends it. @throws Error for a response other than a success or a 503 with Retry-After */
  stop(): Promise<void>;
}

/** @param base URL of the service @param operator its OPERATOR_TOKEN */
export function startWriter(base: string, operator: string): Writer {
  const confirmed = new Map<string, string>();
  const statuses = new Map<number, number>();
  const over = new AbortController();

  async function send(method: string, path: string, token: string, body: object): Promise<any> {
    const response = await fetch(`${base}api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const text = await response.text();
    if (response.status === 503 && response.headers.get('retry-after') !== null) return null;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async function write(): Promise<void> {
    while (!over.signal.aborted) {
      const name = `Organization ${randomUUID()}`;
      const created = await send('POST', 'organizations', operator, { name });
      if (created !== null) confirmed.set(created.organization.id, name);
      await sleep(50);
    }
  }

  const running = write();
  running.catch(() => over.abort());
  return {
    confirmed,
    statuses,
    async stop() {
      over.abort();
      await running;
    },
  };
}

/** Runs a statement over a connection of its own. */
export async function queryOnce(url: string, statement: string): Promise<any[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
