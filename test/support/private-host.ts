import { certificates } from './fault-certificates.ts';
import { answer, type Behaviour, CORS, type FaultHost, openFaultHost } from './fault-host.ts';
import { type Live, putRegistry } from './live-registry.ts';

/** A host that requires credentials. */

export const PRIVATE_TOKEN = 'planted-credential-0123456789';

/** A registry that answers only requests with this header. */
export interface PrivateHost {
  host: FaultHost;
  live: Live;
  /** The header that it requires; change it to revoke the credentials. */
  required: { name: string; value: string };
}

export async function openPrivateHost(name = 'authorization', value = `Bearer ${PRIVATE_TOKEN}`): Promise<PrivateHost> {
  const host = await openFaultHost({ tls: certificates().get('good') });
  const required = { name, value };
  const guarded: FaultHost = {
    ...host,
    on: (path, behaviour) =>
      host.on(path, (request, socket) => {
        const isAllowed = request.method === 'OPTIONS' || request.headers[required.name] === required.value;
        return (isAllowed ? behaviour : refusal)(request, socket);
      }),
  };
  return { host, live: putRegistry(guarded), required };
}

export const refusal: Behaviour = answer({ status: 401, headers: CORS, body: 'no' });
