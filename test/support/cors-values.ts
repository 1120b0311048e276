import type { InvalidCorsCause } from '../../src/core/http/cors.ts';
import { ORIGIN } from './probes.ts';

const ALLOW = 'access-control-allow-origin';

/** Values of Access-Control-Allow-Origin that no browser accepts for `ORIGIN`, by their cause. */
const VALUES: Readonly<Record<InvalidCorsCause, readonly string[]>> = {
  'two-headers': ['*', '*'],
  list: [`${ORIGIN}, *`],
  empty: [''],
  null: ['null'],
  'unset-variable': ['(null)'],
  'misspelled-wildcard': ['"*"'],
  'partial-wildcard': ['https://*.test'],
  'upper-case': ['HTTPS://SVC.TEST'],
  'trailing-slash': [`${ORIGIN}/`],
  'no-scheme': ['svc.test'],
  'wrong-scheme': ['http://svc.test'],
  'wrong-port': [`${ORIGIN}:8443`],
  'default-port': [`${ORIGIN}:443`],
  'full-url': [`${ORIGIN}/page`],
  'no-origin': ['https://'],
};

/** A faulty row of a rule about CORS for each such value. */
export function invalidCorsRows<F>(
  facts: (headers: [string, string][]) => F,
): (readonly [name: string, facts: F, expected: { cause: string }])[] {
  return Object.entries(VALUES).map(([cause, values]) => [
    `Access-Control-Allow-Origin: ${values.join(' and ')}`,
    facts(values.map((value) => [ALLOW, value])),
    { cause },
  ]);
}
