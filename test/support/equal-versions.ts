import { type Behaviour, answer, byMethod, CORS, type FaultHost, tagged } from './fault-host.ts';
import { checksum, SVG } from './live-registry.ts';

/**
 * Serves a registry of one app with so many versions, all with the same bytes, at `/0.tar.gz` and so on.
 * @param bytes of the artifact @param artifact how the host responds to requests for it @returns its URL
 */
export function serveEqualVersions(host: FaultHost, bytes: Buffer, artifact: Behaviour, count: number): string {
  const versions = Array.from({ length: count }, (_, i) => ({
    version: `1.0.${i}`,
    artifactUrl: host.on(`/${i}.tar.gz`, artifact),
    artifactChecksum: checksum(bytes),
  }));
  host.on('/a.json', tagged(JSON.stringify({ versions })));
  host.on('/a.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  const app = {
    name: 'App',
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
    appMetadataUrl: `${host.origin}/a.json`,
  };
  return host.on('/registry.json', tagged(JSON.stringify({ apps: { a: app } })));
}
