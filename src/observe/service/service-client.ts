import type { JsonValue } from '../../core/json/json.ts';
import { jsonValueIn } from '../../core/json/value-in.ts';
import { type HttpClient, type HttpOptions, openHttpClient } from '../http/client.ts';
import { interceptionText } from '../../core/http/interception-text.ts';
import { interceptionOf } from '../../core/http/interception.ts';
import { lastHop, statusOf } from '../../core/http/probe.ts';
import { redact } from '../../core/text/text.ts';

/** Reads the API of a service: JSON over HTTP, with the headers of the organization. */
export interface ServiceClient {
  /** @param path relative to the base URL */
  get(path: string): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

interface ServiceAnswer {
  status: number;
  /** Null if it is not JSON. */
  body: JsonValue | null;
  /** The reason why there was no response of the service, or null. */
  failure: string | null;
}

export interface ServiceRequestOptions {
  /** Base URL of the service, with a trailing slash. */
  service: string;
  /** For its authentication. */
  headers: readonly (readonly [string, string])[];
  http: Pick<HttpOptions, 'ca' | 'machineCa' | 'proxyFor' | 'lookup' | 'backoff'>;
  /** Milliseconds for one request. */
  timeout: number;
}

/** A report of a large registry has tens of megabytes. */
const BODY_LIMIT = 128_000_000;

/** Opens a client; close it to end its connections. */
export function openServiceClient({ service, headers, http, timeout }: ServiceRequestOptions): ServiceClient {
  const { origin } = new URL(service);
  const client: HttpClient = openHttpClient({ ...http, concurrency: 4, secrets: { origin, headers } });
  return {
    async get(path) {
      let chunks: Buffer[] = [];
      const probe = await client.probe({
        method: 'GET',
        url: `${service}${path}`,
        origin: null,
        accept: 'application/json, application/problem+json',
        total: timeout,
        body() {
          chunks = [];
          return { limit: BODY_LIMIT, over: 'fail', write: (chunk) => void chunks.push(Buffer.from(chunk)) };
        },
      });
      const { failure: failed, hops } = probe;
      if (failed !== null) return { status: 0, body: null, failure: `${failed.code}: ${redact(failed.message)}` };
      const isOk = statusOf(probe) === 200;
      // Problem details are short, and are in the excerpt.
      const text = isOk ? Buffer.concat(chunks).toString('utf8') : (hops.at(-1)?.excerpt ?? '');
      const body = jsonValueIn(text) ?? null;
      const last = body === null ? lastHop(probe) : null;
      const intercepted = last && interceptionOf(last, text);
      const failure = intercepted && `status ${statusOf(probe)}: ${interceptionText(intercepted)}`;
      return { status: statusOf(probe), body, failure };
    },
    close: () => client.close(),
  };
}
