import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow to four times what lives in it before all of it is collected. What streams by lies beside a small
 * heap and is garbage at once; V8 would collect everything a dozen times a second for it, which takes a sixth of the time.
 */
export function tuneHeap(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
