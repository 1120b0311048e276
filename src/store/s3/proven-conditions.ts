import {
  type Conditions,
  possibleConditions,
  type ConditionsMemory,
  probeConditionalWrites,
  withoutConditions,
} from './conditions.ts';
import type { S3Request, S3Requests } from './request.ts';

export interface ProvenConditionsOptions {
  /** True to use a store that supports no conditions: the stored file is checked before each write instead. */
  unconditional?: boolean;
  /** The conditions that the store was proven to support before (default: unknown, so they are tested). */
  memory?: ConditionsMemory;
  /** Called when the file was written that tests the store's conditions. */
  onProbe?: (path: string) => void;
}

/** The conditions that a store supports, tested before the first write. */
export interface ProvenConditions {
  current(): Promise<Conditions>;
  /** True if an earlier process tested them. */
  areRecalled(): Promise<boolean>;
  /**
   * Tests the conditions again if they were only remembered.
   * @returns false if this process tested them
   */
  proveAgain(): Promise<boolean>;
}

export function proveConditions(
  requests: S3Requests,
  { unconditional = false, memory, onProbe }: ProvenConditionsOptions,
): ProvenConditions {
  const { request, google } = requests;
  let known: Promise<{ conditions: Conditions; isRecalled: boolean }> | null = null;

  /** The requests for the file that tests the conditions. */
  const probeRequest: S3Request = async (method, path, details) => {
    const answer = await request(method, path, details);
    if (method === 'PUT' && answer.status < 300) onProbe?.(path);
    return answer;
  };

  async function find(): Promise<{ conditions: Conditions; isRecalled: boolean }> {
    if (unconditional) return { conditions: withoutConditions(google), isRecalled: false };
    const place = memory === undefined ? '' : await requests.identity();
    const name = memory?.recall(place) ?? null;
    const recalled = possibleConditions(google).find((conditions) => conditions.name === name);
    if (recalled !== undefined) return { conditions: recalled, isRecalled: true };
    const proven = await probeConditionalWrites(probeRequest, google);
    memory?.keep(place, proven.name);
    return { conditions: proven, isRecalled: false };
  }

  const current = async (): Promise<Conditions> => (await (known ??= find())).conditions;
  const areRecalled = async (): Promise<boolean> => known !== null && (await known).isRecalled;

  async function proveAgain(): Promise<boolean> {
    if (!(await areRecalled())) return false;
    memory?.forget(await requests.identity());
    known = null;
    await current();
    return true;
  }

  return { current, areRecalled, proveAgain };
}
