import type { Severity } from '../values/severity.ts';
import type { ImageFacts } from '../facts/facts.ts';

/** The faults with which browsers still show an image, or may do so. */
const TOLERATED: Partial<Record<string, Severity>> = {
  'png trailing-data': 'note',
  'png palette-ignored': 'warning',
  'png frame': 'warning',
  'svg not-utf-8': 'warning',
  'svg too-complex': 'warning',
  'svg not-read': 'warning',
};

/** How severe the fault of an image is; null for an image without one. */
export function faultSeverity({ kind, fault }: Pick<ImageFacts, 'kind' | 'fault'>): Severity | null {
  return fault === null ? null : (TOLERATED[`${kind} ${fault.code}`] ?? 'error');
}
