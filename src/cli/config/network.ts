import { readRegularFile } from '../../platform/regular-file.ts';
import type { HttpOptions } from '../../observe/http/client.ts';
import { proxiesIn } from '../../observe/http/proxy.ts';

/** Network settings of the environment: proxies and additional certificate authorities. */
export function networkOf(env: NodeJS.ProcessEnv): Pick<HttpOptions, 'proxyFor' | 'machineCa'> {
  return { proxyFor: proxiesIn(env), machineCa: machineAuthorities(env) };
}

/** Like Node, ignores a missing file; Node itself prints a warning. */
function machineAuthorities(env: NodeJS.ProcessEnv): string | null {
  const path = env['NODE_EXTRA_CA_CERTS'];
  if (!path) return null;
  const read = readRegularFile(path);
  return 'bytes' in read ? read.bytes.toString() : null;
}
