import { type ImageFacts, isMissing, type Missing, type Probe, type ResourceKind } from '../../core/facts/facts.ts';
import { isAnswered, isTransportFailure, lastHop, mergeAttempts, originOf } from '../../core/http/probe.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { listedVersionsIn, manifestAppsIn } from '../../core/registry/manifest.ts';
import { faultSeverity } from '../../core/registry/image-faults.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { parseDocument } from '../../core/json/json.ts';

/**
 * Requests a file again whose response cannot be used: one sample does not show that this is its state. Lost connections
 * are repeated by the HTTP client, and files that are reported missing by `missing-files.ts`.
 */

/** Number of files of a kind and host that are requested again; of the others one response is enough. */
const CONFIRMED = 3;

/** The files of one kind and host that were requested again. */
interface Looks {
  confirmed: number;
  recovered: number;
}

/** The files that were requested again in a run, by kind and host. */
export class SecondLooks {
  readonly #byHost = new Map<string, Looks>();

  /**
   * @param faultOf the fault of a response, as a phrase; null if it can be used
   * @param again requests it over a new connection
   * @returns the response that can be used, with the fault of the first one as an earlier attempt; otherwise the last one
   */
  async take<T extends { probe: Probe }>(
    kind: ResourceKind,
    first: T,
    faultOf: (response: T) => string | null,
    again: () => Promise<T>,
  ): Promise<T> {
    const fault = faultOf(first);
    if (fault === null) return first;
    const looks = this.#looksOf(`${kind} ${originOf(lastHop(first.probe)?.url ?? '')}`);
    if (looks.confirmed >= CONFIRMED && looks.recovered === 0) return first;
    const second = await again();
    if (!isAnswered(second.probe) || faultOf(second) !== null) {
      looks.confirmed += 1;
      // A connection that was lost meanwhile says nothing about the file.
      return isTransportFailure(second.probe) ? first : second;
    }
    looks.recovered += 1;
    return { ...second, probe: mergeAttempts(first.probe, second.probe, fault) };
  }

  #looksOf(key: string): Looks {
    const looks = this.#byHost.get(key) ?? { confirmed: 0, recovered: 0 };
    this.#byHost.set(key, looks);
    return looks;
  }
}

/** The fault of the response for a document; null if it can be used. */
export function documentFault(
  kind: 'manifest' | 'metadata',
  probe: Probe,
  content: DocumentContent | Missing,
): string | null {
  if (isMissing(content)) return responseFault(probe);
  if (content.cut) return null;
  if (content.bytes === 0) return NO_BYTES;
  const { value, oversized } = parseDocument(content);
  if (oversized !== null) return null;
  if (value === undefined) return kindOf(Buffer.from(content.text ?? '')) === 'html' ? PAGE : 'no JSON';
  const listed = kind === 'manifest' ? manifestAppsIn(content) : listedVersionsIn(content);
  return listed === null ? 'JSON of another form' : null;
}

/** The fault of the response for an icon; null if it can be used. */
export function iconFault(probe: Probe, image: ImageFacts | Missing): string | null {
  if (isMissing(image)) return responseFault(probe);
  const { kind } = image;
  if (kind === 'empty') return NO_BYTES;
  if (kind === 'html') return PAGE;
  if (kind !== 'png' && kind !== 'svg') return 'another kind of file';
  return faultSeverity(image) === 'error' ? 'a corrupt image' : null;
}

const PAGE = 'an HTML page';
const NO_BYTES = 'no bytes';

/** Statuses that are requested again elsewhere, or that ask for a pause. */
const REPEATED = new Set([403, 404, 408, 410, 425, 429]);

function responseFault(probe: Probe): string | null {
  const { failure } = probe;
  const status = lastHop(probe)?.status ?? 0;
  if (failure === null) return status >= 300 && status < 500 && !REPEATED.has(status) ? `status ${status}` : null;
  const isOfResponse = ['headers', 'body', 'decode', 'redirect'].includes(failure.phase);
  return isOfResponse && !isTransportFailure(probe) ? failure.code : null;
}
