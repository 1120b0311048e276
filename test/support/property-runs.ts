/**
 * Number of runs of an expensive property. CI runs the full number. Other runs use a tenth of it, and the fixed seed
 * (setup.ts) makes these the first cases of the full run.
 */
export function runs(full: number): number {
  return process.env['CI'] ? full : Math.ceil(full / 10);
}
