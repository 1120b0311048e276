import { hopOrigins, PROBE_HEADER } from '../core/cors.ts';
import type { Unseen, Visit, Web } from '../core/facts.ts';
import type { Http } from './http.ts';
import { unasked } from './http-patience.ts';

const OWN: Unseen = { unseen: 'a browser sends no preflight to the page’s own origin', aside: true };

/** Header names that a browser would send besides, in lower case, and the one origin that they are for. */
export interface SecretNames {
  origin: string;
  names: readonly string[];
}

/**
 * The preflights of a GET with a header that is not safelisted, at every URL that redirects lead it to: behind each
 * redirect the Fetch standard begins anew (HTTP-redirect fetch → main fetch), with `Origin: null` where it has become
 * that.
 * @param urls the chain of redirects that a plain GET went along; @param total milliseconds for each
 */
export async function lookAtPreflights(
  urls: readonly string[],
  origin: string,
  secrets: SecretNames | null,
  total: number,
  http: Http,
): Promise<Pick<Web, 'preflight' | 'preflights'>> {
  const origins = hopOrigins(origin, urls);
  const [preflight, ...more] = await Promise.all(
    urls.map(async (url, i): Promise<Visit | Unseen> => {
      const { origin: sent, checked } = origins[i]!;
      if (!checked) return OWN;
      const along = urls.slice(0, i + 1);
      const own = secrets !== null && along.every((one) => new URL(one).origin === secrets.origin);
      const asked = [PROBE_HEADER, ...(own ? secrets.names : [])].sort();
      const headers: [string, string][] = [
        ['access-control-request-method', 'GET'],
        ['access-control-request-headers', asked.join(',')],
      ];
      const visit = await http.visit({ method: 'OPTIONS', url, origin: sent, accept: '*/*', headers, total });
      return unasked(visit) ?? { ...visit, asked };
    }),
  );
  return more.length === 0 ? { preflight: preflight! } : { preflight: preflight!, preflights: more };
}
