import type { HostFacts } from '../../src/core/facts/facts.ts';

/** Facts about a host: by the number of requests in flight, how many were answered and refused. */
export function load(
  counts: Readonly<Record<number, readonly [answered: number, refused: number]>>,
  refusals: string[] = ['status 503'],
): HostFacts {
  return {
    origin: 'https://apps.example.com',
    load: Object.entries(counts).map(([inFlight, [answered, refused]]) => ({
      inFlight: Number(inFlight),
      answered,
      refused,
    })),
    refusals,
  };
}
