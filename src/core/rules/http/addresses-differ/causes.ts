import { TLS_CAUSES } from '../../tls-causes.ts';
import type { CauseOf, Causes } from '../../cause.ts';

export const CAUSES = {
  ...TLS_CAUSES,
  reset: { title: 'The connection is closed during the TLS handshake' },
  'no-answer': { title: 'The TLS handshake times out' },
  handshake: { title: 'The TLS handshake fails' },
  unreachable: { title: 'An address does not respond' },
  status: { title: 'An address responds with a different status' },
  content: { title: 'Addresses serve different content' },
  cors: { title: 'An address does not allow other origins' },
} satisfies Causes;
export type Cause = CauseOf<typeof CAUSES>;
