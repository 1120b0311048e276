import { TLSSocket } from 'node:tls';
import type { Check } from './mutants.ts';
import { rules } from '../../src/core/rules/index.ts';

/** Switches off rules and checks of the service in this process, one at a time. */

/** The names of the checks that are switched off; read by the replaced modules of mutation.test.ts. */
export const switchedOff = new Set<Check>();

/** Runs something while a rule finds nothing. */
export async function withoutRule<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`no rule ${id}`);
  const { check } = rule;
  rule.check = () => null;
  try {
    return await run();
  } finally {
    rule.check = check;
  }
}

/** Runs something while checks of the service are switched off. */
export async function withoutChecks<Result>(names: readonly Check[], run: () => Promise<Result>): Promise<Result> {
  for (const name of names) switchedOff.add(name);
  try {
    return await run();
  } finally {
    switchedOff.clear();
  }
}

/** Makes it possible to accept every certificate. @returns a function that ends it */
export function makeCertificatesAcceptable(): () => void {
  const values = new WeakMap<TLSSocket, boolean>();
  Object.defineProperty(TLSSocket.prototype, 'authorized', {
    configurable: true,
    get(this: TLSSocket) {
      return switchedOff.has('certificates') || values.get(this) === true;
    },
    set(this: TLSSocket, value: boolean) {
      values.set(this, value);
    },
  });
  return () => {
    delete (TLSSocket.prototype as { authorized?: boolean }).authorized;
  };
}
