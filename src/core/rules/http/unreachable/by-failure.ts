import { message } from '../../../text/message.ts';
import type { Failure, Probe } from '../../../facts/facts.ts';
import { hostnameOf, hostOf } from '../../../http/probe.ts';
import { explain, type Explanation } from './causes.ts';
import { CONNECTION_FAILURES, HANDSHAKE_FAILURES } from './connection-failures.ts';
import { REDIRECT_FAILURES } from './redirect-failures.ts';
import { RESPONSE_FAILURES } from './response-failures.ts';

const FAILURES = [...REDIRECT_FAILURES, ...CONNECTION_FAILURES, ...HANDSHAKE_FAILURES, ...RESPONSE_FAILURES];

/** Why a request failed without a usable response. */
export function explainFailure(failure: Failure, probe: Probe): Explanation {
  const { url, message: summary, code } = failure;
  const request = { failure, probe, host: hostOf(url), name: hostnameOf(url) };
  return (
    explain(FAILURES, request) ?? {
      cause: 'failed',
      message: message`${summary} (${code}).`,
      advice: message`Request the URL with curl -v, and compare it with the evidence.`,
    }
  );
}
