import { readFileSync } from 'node:fs';
import type { HttpOptions } from '../../observe/http/client.ts';
import { proxiesIn } from '../../observe/http/proxy.ts';

/** What the environment says about the network: its proxies, and the authorities that Node adds to its own. */
export function networkOf(env: NodeJS.ProcessEnv): Pick<HttpOptions, 'proxyFor' | 'machineCa'> {
  return { proxyFor: proxiesIn(env), machineCa: machineAuthorities(env) };
}

/** A file that is not there is no matter to Node either: it warns, and goes on without. */
function machineAuthorities(env: NodeJS.ProcessEnv): string | null {
  const path = env['NODE_EXTRA_CA_CERTS'];
  if (!path) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
