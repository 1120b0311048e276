import { headerValue, lastHop, PROBE_ORIGIN } from 'appreg';
import {
  ALL_GROUPS,
  type BodyReader,
  type HttpClient,
  IMAGE_ACCEPT,
  openHttpClient,
  type RequestShape,
  UNCOMPRESSED,
} from 'appreg/node';
import type { HostClient, HostRequest } from '../case/host.ts';
import { openRawClient, type RawClient, type HostTarget, requestTarget, TIMEOUT } from './raw.ts';
import type { HostResponse, Responses } from './describe.ts';

/** Sends the requests of a case. */

/** A header that a later request needs was not sent. */
export interface MissingHeader {
  missing: string;
}

/** The largest body that is read, in bytes. */
const LARGEST = 4_000_000;

/** The clients of a run: one, as long as no request fails. */
export interface Clients {
  current(): HttpClient;
  /** The client remembers failures of the host, which must not affect other cases. */
  discard(client: HttpClient): void;
  close(): Promise<void>;
}

export function openClients(target: HostTarget): Clients {
  const opened: HttpClient[] = [];
  let current: HttpClient | null = null;
  return {
    current() {
      if (current !== null) return current;
      current = openClient(target);
      opened.push(current);
      return current;
    },
    discard(client) {
      if (current === client) current = null;
    },
    async close() {
      await Promise.all(opened.map((client) => client.close()));
    },
  };
}

/** Sends the requests of a case, one after the other. */
export async function sendRequests(
  requests: readonly HostRequest[],
  target: HostTarget,
  clients: Clients,
): Promise<Responses | MissingHeader> {
  const http = clients.current();
  const raw = requests.some(isRaw) ? openRawClient(target) : null;
  const responses = new Map<string, HostResponse[]>();
  try {
    for (const request of requests) {
      const filled = filledHeaders(request.headers ?? {}, responses);
      if ('missing' in filled) return filled;
      const { times = 1 } = request;
      const one = { ...request, headers: filled.headers };
      const sent = times === 1 ? [await sendRequest(one, target, http, raw)] : await sendAtOnce(one, times, target);
      if (sent.some(({ probe }) => probe.failure !== null)) clients.discard(http);
      responses.set(request.as, sent);
    }
    return responses;
  } finally {
    raw?.close();
  }
}

function openClient({ ca, machineCa, proxyFor, lookup }: HostTarget): HttpClient {
  return openHttpClient({ retries: 0, ca, machineCa, proxyFor, lookup });
}

/** Each by a client of its own: one client begins with few requests at once. */
function sendAtOnce(request: HostRequest, times: number, target: HostTarget): Promise<HostResponse[]> {
  const send = async (): Promise<HostResponse> => {
    const http = openClient(target);
    try {
      return await sendRequest(request, target, http, null);
    } finally {
      await http.close();
    }
  };
  return Promise.all(Array.from({ length: times }, send));
}

function sendRequest(
  request: HostRequest,
  target: HostTarget,
  http: HttpClient,
  raw: RawClient | null,
): Promise<HostResponse> {
  const { method = 'GET', path, query, headers = {} } = request;
  const sent = requestTarget(target, path, query);
  if (raw !== null && isRaw(request)) return raw.send(method, sent, headers);
  if (method === 'POST' || method === 'PUT' || method === 'DELETE') throw new Error('Only the raw client sends it.');
  return sendProbe(request, method, new URL(sent, target.base).href, http);
}

/** True if the client of `observe` does not send it. */
export function isRaw({ method = 'GET', literal = false, reuse = false }: HostRequest): boolean {
  return literal || reuse || !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

async function sendProbe(
  { client = 'service', headers = {}, encoding, preflight }: HostRequest,
  method: 'GET' | 'HEAD' | 'OPTIONS',
  url: string,
  http: HttpClient,
): Promise<HostResponse> {
  const chunks: Buffer[] = [];
  const body: BodyReader = {
    limit: LARGEST,
    over: 'cut',
    write: (chunk) => void chunks.push(Buffer.from(chunk)),
  };
  const requested = preflight?.headers ?? [];
  const requestHeaders: [string, string][] =
    preflight === undefined
      ? []
      : [
          ['access-control-request-method', preflight.method],
          ['access-control-request-headers', requested.join(',')],
        ];
  const shape = shapeOf(client, headers, encoding);
  const probe = await http.probe({
    method,
    url,
    origin: client === 'page' || client === 'opaque-page' ? (shape?.page ?? null) : null,
    accept: client === 'image' ? IMAGE_ACCEPT : '*/*',
    ...(shape === null ? {} : { shape }),
    headers: [...requestHeaders, ...Object.entries(headers)],
    total: TIMEOUT,
    body: () => body,
  });
  const found = preflight === undefined ? probe : { ...probe, requestedHeaders: [...requested] };
  return { probe: found, body: chunks.length > 0 || method === 'GET' ? Buffer.concat(chunks) : null, reused: false };
}

function shapeOf(
  client: HostClient,
  headers: Readonly<Record<string, string>>,
  encoding: string | undefined,
): RequestShape | null {
  const shape = { mode: 'cors', destination: 'empty' } as const;
  if (client === 'service')
    return encoding === undefined ? null : { ...shape, page: PROBE_ORIGIN, groups: ['encoding'], encoding };
  if (client === 'image') return { page: PROBE_ORIGIN, mode: 'no-cors', destination: 'image', groups: ALL_GROUPS };
  // With a Range, Chromium requests no compression.
  const groups = 'range' in headers ? UNCOMPRESSED : ALL_GROUPS;
  return { ...shape, page: client === 'opaque-page' ? 'null' : PROBE_ORIGIN, groups };
}

const PLACEHOLDER = /\{([a-z0-9-]+):([a-z-]+)\}/g;

/** The headers with those of earlier responses, or the name of the one that was not sent. */
function filledHeaders(
  headers: Readonly<Record<string, string>>,
  responses: Responses,
): { headers: Record<string, string> } | MissingHeader {
  const filled: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    let missing: string | null = null;
    filled[name] = template.replaceAll(PLACEHOLDER, (_, from: string, wanted: string) => {
      const [response] = responses.get(from) ?? [];
      const value = response && headerValue(lastHop(response.probe)?.headers ?? [], wanted);
      missing ??= value == null ? wanted : null;
      return value ?? '';
    });
    if (missing !== null) return { missing };
  }
  return { headers: filled };
}
