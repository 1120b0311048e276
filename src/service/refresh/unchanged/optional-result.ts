import { createHash, type Hash } from 'node:crypto';
import { companionState } from '../../../core/attestation/companion.ts';
import type { Hop, Probe } from '../../../core/facts/facts.ts';
import { statusOf } from '../../../core/http/probe.ts';
import type { Body } from '../../../observe/http/body.ts';
import type { ProbeRequest } from '../../../observe/http/request.ts';
import { hasNoErrors, isConfirmedBy } from '../../../observe/registry/cache/revalidate.ts';

/**
 * The result of a request for a file that its host need not have. How the file is served is not judged, so that two
 * responses with the same result are judged alike.
 */

interface OptionalWatch<Request extends ProbeRequest> {
  /** The same request, which also observes the body. */
  request: Request & Required<Pick<ProbeRequest, 'body'>>;
  /**
   * `unchanged`, `absent`, or the SHA-256 of the body as sent; null if the host does not say whether it has the file, or
   * if there was an error.
   */
  result(probe: Probe): string | null;
}

/** Observes the response to a request for an optional file. */
export function watchOptional<Request extends ProbeRequest>(given: Request): OptionalWatch<Request> {
  let received: { hash: Hash; head: Buffer } | null = null;

  function body(hop: Hop): Body {
    const inner = given.body?.(hop) ?? NOTHING_READ;
    const current = { hash: createHash('sha256'), head: Buffer.alloc(0) };
    received = current;
    return {
      ...inner,
      write(chunk) {
        current.hash.update(chunk);
        if (current.head.length < HEAD) current.head = Buffer.concat([current.head, chunk]).subarray(0, HEAD);
        return inner.write(chunk);
      },
    };
  }

  return {
    request: { ...given, body },
    result(probe) {
      const [condition] = given.headers ?? [];
      if (!hasNoErrors(probe)) return null;
      if (condition !== undefined && isConfirmedBy(probe, condition)) return 'unchanged';
      const head = received?.head ?? new Uint8Array();
      const state = companionState({ status: statusOf(probe), head });
      if (state !== 'present') return state === 'absent' ? 'absent' : null;
      return received?.hash.copy().digest('hex') ?? null;
    },
  };
}

/** Bytes that tell a web page from a file. */
const HEAD = 512;
const NOTHING_READ: Body = { limit: 0, over: 'cut', write: () => {} };
