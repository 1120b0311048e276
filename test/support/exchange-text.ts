/** Reads the HTTP exchanges of an example, in the notation of RFC 9110 without the Host header. */

const HOST = 'https://apps.example.com';

/** One request with its response. */
export interface Exchange {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  url: string;
  request: [string, string][];
  status: number;
  headers: [string, string][];
  body: string;
  /** True if a “100 Continue” preceded the response. */
  continued: boolean;
  /** True if a line of the response is no header. */
  malformed: boolean;
  /** ISO 8601. From a line `notAfter=…` before the request, as openssl prints it. */
  notAfter: string | null;
  /** From a line `key=…` before the request: the key of the host's certificate. */
  key: string | null;
}

/** A connection that failed: `connect ECONNREFUSED 192.0.2.1:443`, `tls CERT_HAS_EXPIRED 192.0.2.1:443`. */
export interface FailedConnection {
  phase: 'connect' | 'tls';
  code: string;
  address: string;
}

export type Step = Exchange | FailedConnection;

export function isFailedConnection(step: Step): step is FailedConnection {
  return 'phase' in step;
}

/** True for a text that contains exchanges or failed connections. */
export function hasExchanges(text: string): boolean {
  return /^(?:(?:GET|HEAD|OPTIONS) \S+|(?:connect|tls) [A-Z_]+ \S+:443)$/m.test(text);
}

export function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  let notAfter: string | null = null;
  let key: string | null = null;
  let current: Exchange | null = null;
  let part: 'request' | 'response' | 'body' = 'request';
  for (const line of text.split('\n')) {
    const [, method, target] = /^(GET|HEAD|OPTIONS) (\S+)$/.exec(line) ?? [];
    const [, phase, code, address] = /^(connect|tls) ([A-Z_]+) (\S+):443$/.exec(line) ?? [];
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(line) ?? [];
    const [, type] = /^key=(.+)$/.exec(line) ?? [];
    const [, date] = /^notAfter=(.+)$/.exec(line) ?? [];
    if (method !== undefined && target !== undefined) {
      current = { ...EMPTY, method: method as Exchange['method'], url: new URL(target, HOST).href, notAfter, key };
      [current.request, current.headers] = [[], []];
      steps.push(current);
      part = 'request';
    } else if (phase !== undefined && code !== undefined && address !== undefined)
      steps.push({ phase: phase as FailedConnection['phase'], code, address });
    else if (type !== undefined) key = type;
    else if (date !== undefined) notAfter = new Date(date).toISOString();
    else if (status === '100' && current !== null) current.continued = true;
    else if (status !== undefined && current !== null) {
      current.status = Number(status);
      part = 'response';
    } else if (current !== null && part === 'response' && line === '') part = 'body';
    else if (current !== null && part === 'body') current.body += `${line}\n`;
    else if (current !== null && part === 'response' && !line.includes(':')) current.malformed = true;
    else if (current !== null && line !== '') current[part === 'request' ? 'request' : 'headers'].push(header(line));
    else if (line !== '') throw new Error(`Unknown line in an example: ${line}`);
  }
  for (const step of steps) if (!isFailedConnection(step)) step.body = step.body.trim();
  return steps;
}

const EMPTY = {
  request: [],
  status: 0,
  headers: [],
  body: '',
  continued: false,
  malformed: false,
} satisfies Partial<Exchange>;

function header(line: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`Not a header line in an example: ${line}`);
  return [name.toLowerCase(), value];
}
